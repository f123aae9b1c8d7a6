import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KNOWLEDGE_DOMAINS } from '@steward/contract'
import {
  type ArchivePlace,
  buildGraph,
  checkArchive,
  describeNote,
  filterNotes,
  loadArchive,
  readNoteFile,
  saveNote,
  summarise,
} from '@steward/knowledge'

const SIZES = [100, 10_000] as const
const ROUNDS = 5

/** Ten thousand notes compared with a hundred: per note for full scans, absolute for a save. */
export const benchKnowledge = async (print: (line: string) => void): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bench-knowledge-'))
  try {
    const times = new Map<number, Map<string, number>>()
    for (const size of SIZES) times.set(size, await measure(join(folder, String(size)), size))
    const [small, large] = SIZES
    for (const [name, ms] of times.get(large) ?? []) {
      const base = times.get(small)?.get(name) ?? Number.NaN
      const ratio = `${(ms / base).toFixed(1)} x the time of ${small}`
      const perNote = `${(ms / base / (large / small)).toFixed(2)} x per note`
      print(`${name.padEnd(10)} ${ms.toFixed(1).padStart(8)} ms at ${large}, ${ratio}, ${perNote}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const measure = async (root: string, size: number): Promise<Map<string, number>> => {
  write(root, size)
  const archive: ArchivePlace = { root, lock: `${root}.lock` }
  const times = new Map<string, number[]>()
  const time = async (name: string, work: () => unknown): Promise<void> => {
    const startedAt = performance.now()
    await work()
    times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt])
  }
  for (let round = 0; round < ROUNDS; round++) {
    const loaded = loadArchive(root)
    const place = { domain: 'Ideas', slug: `note-2` } as const
    await time('start-up', () => loaded.refresh())
    await time('look again', () => loaded.refresh())
    await time('list', () => JSON.stringify(filterNotes(loaded.index, {}).map(summarise)))
    await time('graph', () => buildGraph(loaded.index))
    await time('save', async () => {
      const current = readNoteFile(root, place)
      const text = `${current?.text}round ${round}\n`
      const ifMatch = [current?.etag ?? '']
      const saved = await saveNote(archive, place, text, { ifMatch }, () => new Date())
      loaded.look(place)
      return describeNote(loaded.index, place, saved)
    })
    if (round === 0) await time('check', () => checkArchive(root, loaded))
  }
  return new Map([...times].map(([name, taken]) => [name, medianOf(taken)]))
}

const write = (root: string, size: number): void => {
  for (const domain of KNOWLEDGE_DOMAINS) mkdirSync(join(root, domain), { recursive: true })
  for (let number = 0; number < size; number++) {
    const domain = KNOWLEDGE_DOMAINS[number % KNOWLEDGE_DOMAINS.length]
    writeFileSync(join(root, `${domain}/note-${number}.md`), composeNote(number, size))
  }
}

const composeNote = (number: number, size: number): string => {
  const links = [1, 2, 3].map((step) => `[[note-${(number * 7 + step * 13) % size}]]`)
  const words = Array.from({ length: 200 }, (_, at) => `word${(number * 31 + at * at * 7) % 5000}`)
  return `---\ntitle: Note ${number}\ntags: [topic-${number % 40}, all]\ncreated: 2026-01-01\nupdated: 2026-01-02T10:00:00Z\n---\n\n# Note ${number}\n\nSee ${links.join(', ')}.\n\n${words.join(' ')}\n`
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
