#!/usr/bin/env python3
"""Writes a made-up world of likes as two CSV files that `likesd import` takes.

    bench/generate-likes.py LIKES NEWS USERS FOLDER     makes FOLDER/news.csv and FOLDER/likes.csv

News are liked by Zipf's law (the n-th most liked has a share of 1/n), users at random, in the order in which it would
happen: one like after the other, nobody the same news twice. The same arguments give the same files.
"""
import itertools
import math
import os
import random
import sys

BATCH = 100_000


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    likes, news, users = map(int, sys.argv[1:4])
    folder = sys.argv[4]
    if likes > users * news // 2:
        sys.exit("more likes than half of all pairs cannot be made up this way")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "news.csv"), "w") as file:
        file.write("id,title\n")
        file.writelines(f"{number},News {number}\n" for number in range(1, news + 1))

    chance = random.Random(20261130)
    shares = list(itertools.accumulate(1 / rank for rank in range(1, news + 1)))
    ranks = range(1, news + 1)
    # The likers of a news go round all users in steps that share no factor with their number.
    steps = [0] * (news + 1)
    places = [0] * (news + 1)
    given = [0] * (news + 1)
    for number in ranks:
        step = chance.randrange(1, users)
        while math.gcd(step, users) != 1:
            step += 1
        steps[number] = step
        places[number] = chance.randrange(users)
    with open(os.path.join(folder, "likes.csv"), "w") as file:
        file.write("user,news\n")
        written = 0
        while written < likes:
            lines = []
            for number in chance.choices(ranks, cum_weights=shares, k=min(BATCH, likes - written)):
                if given[number] == users:
                    continue
                given[number] += 1
                place = (places[number] + steps[number]) % users
                places[number] = place
                lines.append(f"{place},{number}\n")
            file.writelines(lines)
            written += len(lines)


main()
