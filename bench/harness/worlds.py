"""Made-up worlds of likes as CSV files (generate-likes.py), and the same ones in Redis."""

import array
import itertools
import os
import random
import subprocess
import sys

from harness.client import BUILD, ROOT

FOLDER = os.path.join(BUILD, "worlds")

# Members of one command to Redis: a line of it may have 64 KiB.
MEMBERS = 1000


class World:
    """The first likes of a long list: `news_file` and `likes_file` are what `likesd import` takes."""

    def __init__(self, likes, news, users, longest):
        self.likes, self.news, self.users = likes, news, users
        self.folder = os.path.join(FOLDER, f"{longest}-{news}-{users}")
        self.news_file = os.path.join(self.folder, "news.csv")
        whole_file = os.path.join(self.folder, "likes.csv")
        self.likes_file = os.path.join(self.folder, f"likes-{likes}.csv") if likes < longest else whole_file
        if not os.path.exists(self.folder):
            generate(longest, news, users, self.folder)
        if not os.path.exists(self.likes_file):
            with open(whole_file) as whole, open(f"{self.likes_file}.new", "w") as some:
                some.writelines(itertools.islice(whole, likes + 1))
            os.replace(f"{self.likes_file}.new", self.likes_file)

    def some_users(self, count, seed):
        """Users who have given likes, those with more likes oftener."""
        chance, size = random.Random(seed), os.path.getsize(self.likes_file)
        found = []
        with open(self.likes_file, "rb") as file:
            while len(found) < count:
                file.seek(chance.randrange(size))
                file.readline()
                user = file.readline().partition(b",")[0].decode()
                if user.isdigit():
                    found.append(user)
        return found

    def sets(self):
        """For each news its users, and for each user its news, as numbers in the order of the likes."""
        users_of_news = [array.array("I") for _ in range(self.news + 1)]
        news_of_users = [array.array("I") for _ in range(self.users + 1)]
        with open(self.likes_file) as file:
            next(file)
            for line in file:
                user, news = map(int, line.split(","))
                users_of_news[news].append(user)
                news_of_users[user].append(news)
        return {"n": users_of_news, "u": news_of_users}


def generate(likes, news, users, folder):
    program = os.path.join(ROOT, "bench", "generate-likes.py")
    os.makedirs(FOLDER, exist_ok=True)
    made = f"{folder}.{os.getpid()}"
    print(f"making up {likes:,} likes", flush=True)
    command = [sys.executable, program, str(likes), str(news), str(users), made]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        raise RuntimeError("the likes cannot be made up")
    os.rename(made, folder)


def commands(sets, are_sorted):
    """Commands that put the sets into Redis; the score of a sorted one is a time in seconds."""
    name, scored = ("ZADD", "{} {}".format) if are_sorted else ("SADD", lambda _, member: str(member))
    for direction, owners in sets.items():
        for owner, members in enumerate(owners):
            for first in range(0, len(members), MEMBERS):
                some = enumerate(members[first : first + MEMBERS], 1_796_000_000 + first)
                yield f"{name} {direction}:{owner} {' '.join(itertools.starmap(scored, some))}\r\n".encode()
