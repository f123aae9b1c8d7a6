import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CACHE_HOME } from './testing/cache-home.ts'

const root = join(import.meta.dirname, '..')
const docs = join(root, 'docs')
const tutorials = readdirSync(docs).filter((name) => name.startsWith('tutorial-'))

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-tutorial-'))
  mkdirSync(join(home, 'bin'))
  const launcher = join(root, 'packages/cli/bin/steward.mjs')
  const script = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`
  writeFileSync(join(home, 'bin/steward'), script)
  chmodSync(join(home, 'bin/steward'), 0o755)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Runs the shell blocks of a page as a person would: in order, in a fresh home, stopping at an error. */
const play = (script: string): Promise<{ code: number | null; text: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', ['-ex'], {
      cwd: home,
      env: {
        PATH: `${join(home, 'bin')}:${process.env.PATH}`,
        HOME: home,
        XDG_CACHE_HOME: CACHE_HOME,
        LLM_PROVIDER: 'offline',
      },
      stdio: 'pipe',
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, text }))
    child.stdin.end(script)
  })

/** What a person must see while following a tutorial. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  'tutorial-digest.md': ['F_MORNING_PAPER delivered', 'digest completed', 'at 07:00'],
  'tutorial-python.md': ['"word_count":5', 'A_COUNT_VOWELS completed'],
  'tutorial-obsidian.md': [
    'vault is searched now',
    'vault/Worms',
    'Gardens/Heap.md → Ideas/heap.md (added)',
    '2 notes: 2 added',
    'Ideas/worms',
    '[[worms|Worms]]',
    '2 notes written',
  ],
}

test.each(tutorials)('%s works as written, in a fresh home', async (name) => {
  const page = readFileSync(join(docs, name), 'utf8')
  const script = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, body = '']) => body).join('\n')
  const { code, text } = await play(script)
  expect([code, code === 0 ? '' : text]).toEqual([0, ''])
  for (const seen of SEEN[name] ?? []) expect(text).toContain(seen)
  expect(Object.keys(SEEN)).toContain(name)
})
