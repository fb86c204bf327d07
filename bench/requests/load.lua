-- What wrk does for the bench: the requests of a load, and in the end the figures as one line of JSON.
--
--   wrk ... -s load.lua URL                                             GET of the URL, over and over
--   wrk ... -s load.lua URL -- likes NEWS USERS METHOD METHOD PATH      one like a request
--   wrk ... -s load.lua URL -- batch NEWS USERS COUNT KIND PATH [HEAD]  COUNT likes a request, as KIND of body
--
-- NEWS and USERS have no common factor, so that the pairs (turn modulo NEWS, turn modulo USERS) are distinct for NEWS times USERS
-- turns; every thread has users of its own. The first METHOD is for these turns, the second one for as many after them, and so on
-- in turn. In PATH, the first %d is the number of the news, the second one that of the user. A body begins with HEAD.

-- A step from pair to pair that is no factor of their number, and leads through all of them in no order of memory.
local STEP = 7919

local kinds = {
    json = { type = "application/json", head = "[", tail = "]", between = ",",
             entry = '{"op":"like","news":"%d","user":"user%d"}' },
    command = { type = "text/plain", head = "/", tail = "", between = "/", entry = "%d/%d" },
}

local threads = 0
function setup(thread)
    thread:set("first_user", threads)
    threads = threads + 1
end

local news_count, user_count, turn = 1, 1, 0

local function next_pair()
    local place = (turn * STEP) % (news_count * user_count)
    turn = turn + 1
    return place % news_count + 1, place % user_count + 1 + first_user * user_count
end

local function like_requests(first, second, path)
    local methods = { [0] = first, second }
    local rest = " " .. path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] .. "\r\n\r\n"
    return function()
        local method = methods[math.floor(turn / (news_count * user_count)) % 2]
        return method .. string.format(rest, next_pair())
    end
end

local function batch_requests(count, kind, path, head)
    local entries = {}
    local post = "POST " .. path .. " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] .. "\r\nContent-Type: " .. kind.type ..
        "\r\nContent-Length: %d\r\n\r\n%s"
    return function()
        for index = 1, count do entries[index] = string.format(kind.entry, next_pair()) end
        local body = (head or kind.head) .. table.concat(entries, kind.between) .. kind.tail
        return string.format(post, #body, body)
    end
end

function init(values)
    if #values == 0 then return end
    news_count, user_count = tonumber(values[2]), tonumber(values[3])
    if values[1] == "likes" then
        request = like_requests(values[4], values[5], values[6])
    else
        request = batch_requests(tonumber(values[4]), kinds[values[5]], values[6], values[7])
    end
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests": %d, "seconds": %.6f, "p50_ms": %.3f, "p99_ms": %.3f, "refused": %d, "broken": %d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
