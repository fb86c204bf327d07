// The peer of durable likes in Go: what one writes with net/http and SQLite when likes have to be on the disk before they are
// answered. One goroutine takes all likes that wait, up to 512, into one transaction, and then answers them.
//
//	like-peer PORT FILE
//
// PUT /v1/news/NEWS/likes/USER likes; GET /count says how many likes there are.
package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const together = 512

const schema = `
CREATE TABLE likes (news TEXT NOT NULL, user TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (news, user)) WITHOUT ROWID;
CREATE INDEX likes_of_user ON likes (user, at);
CREATE TABLE counts (news TEXT PRIMARY KEY, likes INTEGER NOT NULL) WITHOUT ROWID`

const (
	insert  = `INSERT INTO likes VALUES (?, ?, ?) ON CONFLICT DO NOTHING`
	count   = `INSERT INTO counts VALUES (?, 1) ON CONFLICT DO UPDATE SET likes = likes + 1 RETURNING likes`
	counted = `SELECT likes FROM counts WHERE news = ?`
)

type like struct {
	news, user string
	answer     chan answer
}

type answer struct {
	News       string `json:"news"`
	User       string `json:"user"`
	Liked      bool   `json:"liked"`
	Changed    bool   `json:"changed"`
	LikesCount int64  `json:"likesCount"`
	failure    error
}

type store struct {
	database               *sql.DB
	insert, count, counted *sql.Stmt
	waiting                chan like
}

func open(file string) *store {
	database, err := sql.Open("sqlite3", "file:"+file+"?_journal_mode=WAL&_synchronous=FULL")
	check(err)
	database.SetMaxOpenConns(1)
	_, err = database.Exec(schema)
	check(err)
	store := &store{database: database, waiting: make(chan like, 8*together)}
	for text, statement := range map[string]**sql.Stmt{insert: &store.insert, count: &store.count, counted: &store.counted} {
		*statement, err = database.Prepare(text)
		check(err)
	}
	return store
}

// All that wait, at least one.
func (store *store) next() []like {
	likes := []like{<-store.waiting}
	for len(likes) < together {
		select {
		case another := <-store.waiting:
			likes = append(likes, another)
		default:
			return likes
		}
	}
	return likes
}

func (store *store) write() {
	for {
		likes := store.next()
		answers := make([]answer, len(likes))
		err := store.writeTogether(likes, answers)
		for index, like := range likes {
			answers[index].failure = err
			like.answer <- answers[index]
		}
	}
}

func (store *store) writeTogether(likes []like, answers []answer) error {
	transaction, err := store.database.Begin()
	if err != nil {
		return err
	}
	defer transaction.Rollback()
	insert, count, counted := transaction.Stmt(store.insert), transaction.Stmt(store.count), transaction.Stmt(store.counted)
	now := time.Now().UnixMilli()
	for index, like := range likes {
		done, err := insert.Exec(like.news, like.user, now)
		if err != nil {
			return err
		}
		changed, _ := done.RowsAffected()
		row := counted
		if changed == 1 {
			row = count
		}
		answers[index] = answer{News: like.news, User: like.user, Liked: true, Changed: changed == 1}
		if err := row.QueryRow(like.news).Scan(&answers[index].LikesCount); err != nil {
			return err
		}
	}
	return transaction.Commit()
}

func (store *store) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	parts := strings.Split(request.URL.Path, "/")
	if request.URL.Path == "/count" {
		var sum int64
		check(store.database.QueryRow(`SELECT coalesce(sum(likes), 0) FROM counts`).Scan(&sum))
		fmt.Fprintln(response, sum)
		return
	}
	if request.Method != "PUT" || len(parts) != 6 {
		http.NotFound(response, request)
		return
	}
	like := like{news: parts[3], user: parts[5], answer: make(chan answer, 1)}
	store.waiting <- like
	answer := <-like.answer
	if answer.failure != nil {
		http.Error(response, answer.failure.Error(), http.StatusServiceUnavailable)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	body, _ := json.Marshal(answer)
	response.Write(body)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: like-peer PORT FILE")
		os.Exit(64)
	}
	store := open(os.Args[2])
	go store.write()
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	check(err)
	check(http.Serve(listener, store))
}
