// The peer in Go: what one writes with net/http alone. A goroutine and a channel for each reader; a publisher hands every
// channel the bytes of the event. Nothing is stored.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
)

// A reader that is so many events behind loses the next one.
const waiting = 1000

type hub struct {
	lock    sync.Mutex
	last    uint64
	readers map[chan []byte]struct{}
}

func (hub *hub) publish(response http.ResponseWriter, request *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 65536))
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	hub.lock.Lock()
	hub.last++
	event := fmt.Appendf(nil, "id: %d\ndata: %s\n\n", hub.last, data)
	for reader := range hub.readers {
		select {
		case reader <- event:
		default:
		}
	}
	hub.lock.Unlock()
	response.WriteHeader(http.StatusAccepted)
}

func (hub *hub) stream(response http.ResponseWriter, request *http.Request) {
	events := make(chan []byte, waiting)
	hub.lock.Lock()
	hub.readers[events] = struct{}{}
	hub.lock.Unlock()
	defer func() {
		hub.lock.Lock()
		delete(hub.readers, events)
		hub.lock.Unlock()
	}()

	response.Header().Set("Content-Type", "text/event-stream")
	response.Header().Set("Cache-Control", "no-cache")
	fmt.Fprint(response, "retry: 2000\n\n")
	flusher := response.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case event := <-events:
			if _, err := response.Write(event); err != nil {
				return
			}
			flusher.Flush()
		case <-request.Context().Done():
			return
		}
	}
}

func main() {
	hub := &hub{readers: map[chan []byte]struct{}{}}
	http.HandleFunc("/publish", hub.publish)
	http.HandleFunc("/stream", hub.stream)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(listener, nil))
}
