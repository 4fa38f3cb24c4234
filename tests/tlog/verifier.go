// Command verifier verifies the log of a record as an outsider does: with golang.org/x/mod/sumdb/note and tlog, and
// without a line of Faristol. It fetches the checkpoint and the tiles from an address, and verifies
//
//   - the signature of the log, and a quorum of cosignatures of witnesses,
//   - the root of the tree, from the tiles,
//   - the inclusion of every entry of the entry bundles,
//   - the consistency with older checkpoints,
//   - proofs in files: the event in the extra data gives the entry that the checkpoint includes.
//
// Usage: verifier -log ADDRESS -key VKEY [-witness VKEY]… [-quorum N] [-old FILE]… [-proof FILE]…
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8

// values is a flag that can be repeated.
type values []string

func (v *values) String() string     { return strings.Join(*v, " ") }
func (v *values) Set(s string) error { *v = append(*v, s); return nil }

// cosigner verifies the cosignatures of a witness (C2SP tlog-cosignature, Ed25519).
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func newCosigner(vkey string) (*cosigner, error) {
	name, rest, _ := strings.Cut(vkey, "+")
	hashText, encoded, _ := strings.Cut(rest, "+")
	material, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(material) != 1+ed25519.PublicKeySize || material[0] != 4 {
		return nil, fmt.Errorf("%q is not the key of a witness", vkey)
	}
	digest := sha256.Sum256(append([]byte(name+"\n"), material...))
	hash := binary.BigEndian.Uint32(digest[:])
	if fmt.Sprintf("%08x", hash) != hashText {
		return nil, fmt.Errorf("%q has another id", vkey)
	}
	return &cosigner{name, hash, material[1:]}, nil
}

func (c *cosigner) Name() string    { return c.name }
func (c *cosigner) KeyHash() uint32 { return c.hash }
func (c *cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	seconds := binary.BigEndian.Uint64(signature)
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, text)
	return ed25519.Verify(c.key, []byte(message), signature[8:])
}

// verifier knows the keys of the log and of its witnesses.
type verifier struct {
	origin    string
	known     note.Verifiers
	witnesses map[string]bool
	quorum    int
}

// open returns the tree of a checkpoint after verifying its signatures.
func (v *verifier) open(content []byte) (tlog.Tree, error) {
	opened, err := note.Open(content, v.known)
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.SplitN(opened.Text, "\n", 4)
	if len(lines) < 4 || lines[0] != v.origin {
		return tlog.Tree{}, fmt.Errorf("the checkpoint is of %q, not of %q", lines[0], v.origin)
	}
	isSigned, cosigned := false, map[string]bool{}
	for _, signature := range opened.Sigs {
		if v.witnesses[signature.Name] {
			cosigned[signature.Name] = true
		} else {
			isSigned = true
		}
	}
	if !isSigned || len(cosigned) < v.quorum {
		return tlog.Tree{}, fmt.Errorf("signed by the log: %v; %d witnesses of %d", isSigned, len(cosigned), v.quorum)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// fetcher reads tiles from an address.
type fetcher struct{ address string }

func (f fetcher) get(path string) ([]byte, error) {
	client := http.Client{Timeout: 30 * time.Second}
	for {
		response, err := client.Get(f.address + "/" + path)
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode == http.StatusTooManyRequests {
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			time.Sleep(time.Duration(seconds)*time.Second + time.Second/10)
			continue
		}
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", path, response.Status)
		}
		return content, err
	}
}

func (f fetcher) Height() int                         { return tileHeight }
func (f fetcher) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (f fetcher) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range tiles {
		content, err := f.get(path(tile))
		if err != nil {
			return nil, err
		}
		found = append(found, content)
	}
	return found, nil
}

// path returns the path of a tile by C2SP tlog-tiles, which names no height.
func path(tile tlog.Tile) string {
	whole := tile.Path()
	rest := strings.TrimPrefix(whole, fmt.Sprintf("tile/%d/", tile.H))
	return "tile/" + strings.Replace(rest, "data/", "entries/", 1)
}

// entries returns all entries, from the entry bundles.
func (f fetcher) entries(size int64) ([][]byte, error) {
	var found [][]byte
	for number := int64(0); number*256 < size; number++ {
		width := 256
		if left := size - number*256; left < 256 {
			width = int(left)
		}
		content, err := f.get(path(tlog.Tile{H: tileHeight, L: -1, N: number, W: width}))
		if err != nil {
			return nil, err
		}
		for len(content) > 0 {
			if len(content) < 2 || len(content) < 2+int(binary.BigEndian.Uint16(content)) {
				return nil, errors.New("an entry bundle is truncated")
			}
			length := int(binary.BigEndian.Uint16(content))
			found = append(found, content[2:2+length])
			content = content[2+length:]
		}
	}
	if int64(len(found)) != size {
		return nil, fmt.Errorf("%d entries instead of %d", len(found), size)
	}
	return found, nil
}

// event is the extra data of a proof.
type event struct {
	Stream        string `json:"stream"`
	Version       int64  `json:"version"`
	EventID       string `json:"event_id"`
	Type          string `json:"type"`
	SchemaVersion int64  `json:"schema_version"`
	Tournament    string `json:"tournament"`
	Payload       []byte `json:"payload"`
	RecordedAt    int64  `json:"recorded_at"`
	Blind         []byte `json:"blind"`
}

// entry returns the entry of an event, as docs/transparency.md describes it.
func (e event) entry() []byte {
	content := bytes.NewBufferString("faristol log entry 1\n")
	number := func(value int64) []byte { return strconv.AppendInt(nil, value, 10) }
	for _, part := range [][]byte{
		e.Blind, []byte(e.Stream), number(e.Version), []byte(e.EventID), []byte(e.Type), number(e.SchemaVersion),
		[]byte(e.Tournament), e.Payload, number(e.RecordedAt),
	} {
		binary.Write(content, binary.BigEndian, uint64(len(part)))
		content.Write(part)
	}
	digest := sha256.Sum256(content.Bytes())
	return digest[:]
}

// checkProof verifies a proof in a file (C2SP tlog-proof), and returns the type and the index of its event.
func (v *verifier) checkProof(content []byte) (string, int64, error) {
	head, checkpoint, _ := bytes.Cut(content, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return "", 0, errors.New("not a proof")
	}
	tree, err := v.open(checkpoint)
	if err != nil {
		return "", 0, err
	}
	extra, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		return "", 0, err
	}
	var shown event
	if err := json.Unmarshal(extra, &shown); err != nil {
		return "", 0, err
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return "", 0, err
	}
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		digest, err := tlog.ParseHash(line)
		if err != nil {
			return "", 0, err
		}
		proof = append(proof, digest)
	}
	return shown.Type, index, tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(shown.entry()))
}

func main() {
	log.SetFlags(0)
	address := flag.String("log", "", "address of the log, without checkpoint at its end")
	key := flag.String("key", "", "vkey of the log")
	quorum := flag.Int("quorum", 0, "least number of witnesses")
	var witnesses, older, proofs values
	flag.Var(&witnesses, "witness", "vkey of a witness")
	flag.Var(&older, "old", "file with an older checkpoint")
	flag.Var(&proofs, "proof", "file with a proof")
	flag.Parse()

	own, err := note.NewVerifier(*key)
	check("key", err)
	known := []note.Verifier{own}
	v := &verifier{origin: own.Name(), witnesses: map[string]bool{}, quorum: *quorum}
	for _, vkey := range witnesses {
		witness, err := newCosigner(vkey)
		check("witness", err)
		known = append(known, witness)
		v.witnesses[witness.Name()] = true
	}
	v.known = note.VerifierList(known...)

	if *address != "" {
		f := fetcher{strings.TrimSuffix(*address, "/")}
		content, err := f.get("checkpoint")
		check("checkpoint", err)
		tree, err := v.open(content)
		check("checkpoint", err)
		reader := tlog.TileHashReader(tree, f)
		root, err := tlog.TreeHash(tree.N, reader)
		check("tiles", err)
		if root != tree.Hash {
			log.Fatalf("tiles: they have the root %v, the checkpoint has %v", root, tree.Hash)
		}
		all, err := f.entries(tree.N)
		check("entries", err)
		for index, entry := range all {
			proof, err := tlog.ProveRecord(tree.N, int64(index), reader)
			check("inclusion", err)
			check("inclusion", tlog.CheckRecord(proof, tree.N, tree.Hash, int64(index), tlog.RecordHash(entry)))
		}
		fmt.Printf("%d entries in the log %s, with %d witnesses or more\n", tree.N, v.origin, v.quorum)
		for _, file := range older {
			content, err := os.ReadFile(file)
			check(file, err)
			old, err := v.open(content)
			check(file, err)
			proof, err := tlog.ProveTree(tree.N, old.N, reader)
			check(file, err)
			check(file, tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash))
			fmt.Printf("the checkpoint of %d entries is the beginning of it\n", old.N)
		}
	}
	for _, file := range proofs {
		content, err := os.ReadFile(file)
		check(file, err)
		kind, index, err := v.checkProof(content)
		check(file, err)
		fmt.Printf("%s is entry %d\n", kind, index)
	}
}

func check(what string, err error) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}
