// The peer that one would write in Go: net/http and mattn/go-sqlite3 on a Pegboard database, the same bytes, the same
// durability. It signs nobody in, logs nothing, counts nothing, heals nothing, and trusts its clients.
//
//	server DATABASE PORT [cache]        with `cache` layouts are kept in memory, already encoded
package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

type layout struct {
	UserID          string   `json:"userId"`
	Version         int64    `json:"version"`
	Customized      bool     `json:"customized"`
	Locked          bool     `json:"locked"`
	UpdatedAt       *string  `json:"updatedAt"`
	CatalogRevision int64    `json:"catalogRevision"`
	Favorites       []string `json:"favorites"`
}

type request struct {
	Operations []struct {
		Op string `json:"op"`
		ID string `json:"id"`
		At struct {
			Edge string `json:"edge"`
		} `json:"at"`
	} `json:"operations"`
}

type outcome struct {
	Op     string `json:"op"`
	ID     string `json:"id"`
	Result string `json:"result"`
}

type written struct {
	Layout   *layout   `json:"layout"`
	Changed  bool      `json:"changed"`
	Outcomes []outcome `json:"outcomes"`
}

type server struct {
	reading, writing              *sql.DB
	read, check, write, add, trim *sql.Stmt
	turn                          sync.Mutex
	cache                         *sync.Map
}

func (s *server) load(row *sql.Row, user string) (*layout, error) {
	var items string
	var updated int64
	l := layout{UserID: user, Customized: true, CatalogRevision: 1}
	if err := row.Scan(&l.Version, &items, &l.Locked, &updated); err != nil {
		return nil, err
	}
	l.Favorites = strings.Split(items, ",")
	stamp := time.UnixMilli(updated).UTC().Format("2006-01-02T15:04:05.000Z")
	l.UpdatedAt = &stamp
	return &l, nil
}

func answer(w http.ResponseWriter, body []byte, version int64) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("ETag", `"`+strconv.FormatInt(version, 10)+`"`)
	h.Set("Cache-Control", "private, no-cache")
	w.Write(body)
}

type encoded struct {
	body    []byte
	version int64
}

func (s *server) get(w http.ResponseWriter, user string) {
	if s.cache != nil {
		if kept, ok := s.cache.Load(user); ok {
			answer(w, kept.(encoded).body, kept.(encoded).version)
			return
		}
	}
	l, err := s.load(s.read.QueryRow(user), user)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	body, _ := json.Marshal(l)
	if s.cache != nil {
		s.cache.Store(user, encoded{body, l.Version})
	}
	answer(w, body, l.Version)
}

func (s *server) move(w http.ResponseWriter, r *http.Request, user string) {
	var asked request
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	result, err := s.apply(&asked, user)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, _ := json.Marshal(result)
	answer(w, body, result.Layout.Version)
}

// One commit a move; the mutex keeps waiting writers out of SQLite's busy handler, which sleeps.
func (s *server) apply(asked *request, user string) (*written, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	tx, err := s.writing.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	l, err := s.load(tx.Stmt(s.check).QueryRow(user), user)
	if err != nil {
		return nil, err
	}
	result := &written{Layout: l, Changed: true}
	for _, op := range asked.Operations {
		for index, id := range l.Favorites {
			if id == op.ID {
				l.Favorites = append(append(l.Favorites[:index:index], l.Favorites[index+1:]...), id)
				break
			}
		}
		result.Outcomes = append(result.Outcomes, outcome{op.Op, op.ID, "applied"})
	}
	now := time.Now()
	stamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
	l.Version, l.UpdatedAt = l.Version+1, &stamp
	items := strings.Join(l.Favorites, ",")
	if _, err := tx.Stmt(s.write).Exec(user, l.Version, items, now.UnixMilli()); err != nil {
		return nil, err
	}
	if _, err := tx.Stmt(s.add).Exec(user, l.Version, items, now.UnixMilli()); err != nil {
		return nil, err
	}
	if _, err := tx.Stmt(s.trim).Exec(user); err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	if s.cache != nil {
		s.cache.Delete(user)
	}
	return result, nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/users/"), "/")
	switch {
	case ok && rest == "layout" && r.Method == http.MethodGet:
		s.get(w, user)
	case ok && rest == "layout/operations" && r.Method == http.MethodPost:
		s.move(w, r, user)
	default:
		http.NotFound(w, r)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	path := "file:" + os.Args[1] + "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000"
	s := &server{reading: must(sql.Open("sqlite3", path)), writing: must(sql.Open("sqlite3", path+"&_txlock=immediate"))}
	s.writing.SetMaxOpenConns(1)
	s.reading.SetMaxOpenConns(4)
	s.reading.SetMaxIdleConns(4)
	must(s.writing.Exec("PRAGMA wal_autocheckpoint = 10000"))
	const query = "SELECT version, items, locked, updated_at FROM layouts WHERE user_id = ?"
	s.read = must(s.reading.Prepare(query))
	s.check = must(s.writing.Prepare(query))
	s.write = must(s.writing.Prepare(`INSERT INTO layouts (user_id, version, items, locked, updated_at, checksum)
		VALUES (?1, ?2, ?3, 0, ?4, 0) ON CONFLICT (user_id) DO UPDATE SET version = excluded.version,
		items = excluded.items, updated_at = excluded.updated_at`))
	// Each version under its own number, as anyone would have it: the key's second half is `place`.
	s.add = must(s.writing.Prepare(`INSERT INTO revisions
		(user_id, place, items, locked, kind, origin, actor, created_at, checksum)
		VALUES (?1, ?2, ?3, 0, 'operations', '', '', ?4, 0)`))
	s.trim = must(s.writing.Prepare(`DELETE FROM revisions WHERE user_id = ?1 AND place <=
		(SELECT place FROM revisions WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET 50)`))
	if len(os.Args) > 3 && os.Args[3] == "cache" {
		s.cache = &sync.Map{}
	}
	listener := must(net.Listen("tcp", "127.0.0.1:"+os.Args[2]))
	must(0, http.Serve(listener, s))
}
