import { fileOf, keyOf, type NotePlace } from '../note-place.ts'
import { foldName } from '../slugify.ts'
import type { Finding } from './findings.ts'

export interface ComparedNote extends NotePlace {
  title: string
  body: string
}

/** The number of smallest shingle hashes that represent a text. */
const SKETCH = 48
/** Only texts that share one of these few are compared. */
const PROBES = 8
const SHINGLE_WORDS = 4
const LEAST_WORDS = 20
const ALIKE = 0.8
/**
 * A shingle that many notes share (a template) is not significant, and comparing all pairs takes
 * too long.
 */
const MOST_SHARERS = 50

/** Duplicate notes: by title, or nearly the same text. Each pair once. */
export const findDuplicates = (notes: readonly ComparedNote[]): Finding[] => {
  const findings: Finding[] = []
  const told = new Set<string>()
  const tell = (note: ComparedNote, other: ComparedNote, message: string): void => {
    const pair = [keyOf(note), keyOf(other)].toSorted().join(' ')
    if (told.has(pair)) return
    told.add(pair)
    findings.push({ kind: 'duplicate', file: fileOf(note), message })
  }
  const byTitle = new Map<string, ComparedNote>()
  for (const note of notes) {
    const title = foldName(note.title)
    const first = byTitle.get(title)
    if (first === undefined) byTitle.set(title, note)
    else tell(note, first, `it has the title of ${fileOf(first)}: "${note.title}"`)
  }
  const sharers = new Map<number, ComparedNote[]>()
  const sketches = new Map<string, ReadonlySet<number>>()
  for (const note of notes) {
    const sketch = sketchOf(note.body)
    if (sketch === undefined) continue
    const own = new Set(sketch)
    sketches.set(keyOf(note), own)
    for (const hash of sketch.slice(0, PROBES)) {
      const others = sharers.get(hash) ?? []
      for (const other of others) {
        const share = likeness(own, sketches.get(keyOf(other)) ?? new Set())
        if (share < ALIKE) continue
        tell(
          note,
          other,
          `its text is nearly that of ${fileOf(other)} (${Math.round(share * 100)} %)`,
        )
      }
      if (others.length < MOST_SHARERS) sharers.set(hash, [...others, note])
    }
  }
  return findings
}

const sketchOf = (body: string): number[] | undefined => {
  const words = (body.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(hashOf)
  if (words.length < LEAST_WORDS) return undefined
  const shingles = new Uint32Array(words.length - SHINGLE_WORDS + 1)
  for (let at = 0; at < shingles.length; at++) {
    let hash = FIRST
    for (let next = at; next < at + SHINGLE_WORDS; next++) {
      hash = Math.imul(hash ^ (words[next] ?? 0), PRIME)
      hash ^= hash >>> 15
    }
    shingles[at] = hash
  }
  return [...new Set(shingles.sort())].slice(0, SKETCH)
}

/** The share of common hashes among the smallest hashes of both. */
const likeness = (a: ReadonlySet<number>, b: ReadonlySet<number>): number => {
  const smallest = [...new Set([...a, ...b])].toSorted((x, y) => x - y).slice(0, SKETCH)
  return smallest.filter((hash) => a.has(hash) && b.has(hash)).length / Math.max(1, smallest.length)
}

const FIRST = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = FIRST
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return hash >>> 0
}
