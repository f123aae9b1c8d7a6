import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KNOWLEDGE_DOMAINS, settings } from '@steward/contract'
import {
  archiveAt,
  createWiki,
  listSources,
  loadArchive,
  loadDocuments,
  openSearchIndex,
} from '@steward/knowledge'
import { resolveHome } from '@steward/platform'

interface Size {
  documents: number
  notes: number
}
const SMALL: Size = { documents: 100, notes: 100 }
const LARGE: Size = { documents: 2_000, notes: 10_000 }
const SEARCHES = 200
const WORDS = 8_000

/** Two thousand documents and ten thousand notes compared with a hundred of each. */
export const benchWiki = async (print: (line: string) => void): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bench-wiki-'))
  try {
    const small = await measure(join(folder, 'small'), SMALL)
    const large = await measure(join(folder, 'large'), LARGE)
    const times = (LARGE.documents + LARGE.notes) / (SMALL.documents + SMALL.notes)
    print(`${LARGE.documents} documents and ${LARGE.notes} notes, ${times} x as many`)
    for (const [name, ms] of large) {
      const base = small.get(name) ?? Number.NaN
      print(
        `${name.padEnd(20)} ${ms.toFixed(2).padStart(9)} ms, ${(ms / base).toFixed(1)} x the time, ${(ms / base / times).toFixed(2)} x per item`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const measure = async (folder: string, size: Size): Promise<Map<string, number>> => {
  const home = resolveHome({ STEWARD_HOME: join(folder, 'home') })
  const { root } = archiveAt(home)
  write(folder, root, size)
  const times = new Map<string, number>()
  const time = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const result = await work()
    times.set(name, performance.now() - startedAt)
    return result
  }
  const open = async () => {
    const loaded = loadArchive(root)
    await loaded.refresh()
    const file = join(home.databases, 'search.sqlite')
    const index = openSearchIndex({ file, now: Date.now, warn: console.warn })
    const sources = listSources({
      installation: join(folder, 'program'),
      home,
      homedir: folder,
      env: {},
      settings: settings.parse({ wiki: { directories: { pages: '~/pages' } } }),
    })
    const documents = loadDocuments({ sources: () => sources, generated: () => [], index })
    const wiki = createWiki({ documents, index, archive: { root, loaded }, warn: console.warn })
    await documents.refresh()
    await wiki.indexNotes()
    return { wiki, index }
  }
  const first = await time('index from nothing', open)
  first.index.close()
  const { wiki, index } = await time('start-up', open)
  await time('graph', () => wiki.graph())
  const kinds: [name: string, query: (at: number) => string][] = [
    ['search one word', (at) => `${wordOf(at * 37)} `],
    ['search two words', (at) => `${wordOf(at * 11)} ${wordOf(at * 29)} `],
    ['search as typed', (at) => wordOf(at * 37).slice(0, 5)],
    ['search with a typo', (at) => `${wordOf(at * 37)}q `],
    ['search a common word', () => 'everywhere '],
  ]
  for (const [name, query] of kinds) {
    const unsorted = []
    for (let at = 0; at < SEARCHES; at++) {
      const startedAt = performance.now()
      await wiki.search(query(at))
      unsorted.push(performance.now() - startedAt)
    }
    const taken = unsorted.toSorted((a, b) => a - b)
    times.set(`${name}, p50`, taken[Math.floor(SEARCHES * 0.5)] ?? Number.NaN)
    times.set(`${name}, p99`, taken[Math.floor(SEARCHES * 0.99)] ?? Number.NaN)
  }
  index.close()
  return times
}

const SYLLABLES = [
  'ka',
  'lo',
  'mi',
  'ren',
  'to',
  'vas',
  'ul',
  'pir',
  'ne',
  'gor',
  'sa',
  'ti',
  'dou',
  'fe',
]

/** Generates plausible words, so that typos have near matches. */
const wordOf = (number: number): string => {
  let rest = number % WORDS
  let word = ''
  for (let part = 0; part < 4; part++) {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return word
}

const textOf = (number: number, words: number): string =>
  Array.from({ length: words }, (_, at) => wordOf(number * 31 + at * at * 7)).join(' ')

const write = (folder: string, root: string, { documents, notes }: Size): void => {
  for (const domain of KNOWLEDGE_DOMAINS) mkdirSync(join(root, domain), { recursive: true })
  for (let number = 0; number < notes; number++) {
    const domain = KNOWLEDGE_DOMAINS[number % KNOWLEDGE_DOMAINS.length]
    const links = [1, 2, 3].map((step) => `[[note-${(number * 7 + step * 13) % notes}]]`)
    const text = `---\ntitle: Note ${wordOf(number)}\ntags: [topic-${number % 40}]\n---\n\nEverywhere ${links.join(', ')}.\n\n${textOf(number, 150)}\n`
    writeFileSync(join(root, `${domain}/note-${number}.md`), text)
  }
  for (let number = 0; number < documents; number++) {
    const place = join(folder, 'pages', String(number % 20))
    if (number < 20) mkdirSync(place, { recursive: true })
    const next = (number * 7 + 3) % documents
    const sections = [1, 2, 3, 4].map(
      (at) => `## Part ${wordOf(number + at)}\n\n${textOf(number * 5 + at, 150)}\n`,
    )
    const text = `# Page ${wordOf(number * 3)}\n\nEverywhere [next](../${next % 20}/page-${next}.md).\n\n${sections.join('\n')}`
    writeFileSync(join(place, `page-${number}.md`), text)
  }
}
