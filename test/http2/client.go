// A client of net/http over one Transport: GETs and POSTs in turn, each answered with its number. It prints what it got as JSON.
//
// client URL AT_ONCE COUNT PAUSE: COUNT 0 asks until the standard input ends; PAUSE is what each asker waits between two requests, ms.
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	base := os.Args[1]
	numbers := make([]int64, 3)
	for at := range numbers {
		numbers[at], _ = strconv.ParseInt(os.Args[2+at], 10, 64)
	}
	atOnce, count, pause := numbers[0], numbers[1], time.Duration(numbers[2])*time.Millisecond
	client := &http.Client{
		Timeout: 20 * time.Second,
		Transport: &http.Transport{
			ForceAttemptHTTP2: true,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		},
	}
	ask := func(number int64) error {
		expected := fmt.Sprintf(`{"n":"%d"}`, number)
		var response *http.Response
		var err error
		if number%2 == 0 {
			response, err = client.Get(fmt.Sprintf("%s/%d", base, number))
		} else {
			response, err = client.Post(base+"/post", "application/json", strings.NewReader(expected))
		}
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err == nil && (response.ProtoMajor != 2 || response.StatusCode != 200 || string(body) != expected) {
			err = fmt.Errorf("%s %d %.100s", response.Proto, response.StatusCode, body)
		}
		return err
	}
	var asked, answered atomic.Int64
	var ended atomic.Bool
	var mutex sync.Mutex
	var askers sync.WaitGroup
	failures := []string{}
	if count == 0 {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			ended.Store(true)
		}()
	}
	for ; atOnce > 0; atOnce-- {
		askers.Add(1)
		go func() {
			defer askers.Done()
			for !ended.Load() {
				number := asked.Add(1)
				if count > 0 && number > count {
					return
				}
				if err := ask(number); err == nil {
					answered.Add(1)
				} else {
					mutex.Lock()
					failures = append(failures, fmt.Sprintf("%d: %v", number, err))
					mutex.Unlock()
				}
				time.Sleep(pause)
			}
		}()
	}
	askers.Wait()
	json.NewEncoder(os.Stdout).Encode(map[string]any{"answered": answered.Load(), "failures": failures})
}
