import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { CLONE_LAUNCHER, PACKED_LAUNCHER } from './launcher.ts'
import { addSteward, STAGES, type Stage } from './tutorials/stages.ts'

const docs = join(import.meta.dirname, '../../docs')
const tutorials = readdirSync(docs).filter((name) => name.startsWith('tutorial-'))
/** The packed program builds no workers. */
const CLONE_ONLY = ['tutorial-edge.md']

/** What a person must see while following a tutorial, in this order. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  'tutorial-api.md': [
    'needs the secret TICKETS_TOKEN',
    'It failed, as expected.',
    '"open":3,"oldest":"A leaking tap"',
    'A_COUNT_TICKETS completed',
  ],
  'tutorial-background-agent.md': [
    'The menu is written.',
    'Check passed: grep -q Assam menu.txt',
    'idle · 1 turn, 1 tool call',
    'steward/write-menu-txt',
    'Assam',
  ],
  'tutorial-digest.md': ['F_MORNING_PAPER delivered', 'digest completed', 'at 07:00'],
  'tutorial-edge.md': [
    '"word_count"',
    '3 built',
    'exec-p-summarize-and-count',
    '3 deployed',
    'AUTH_TOKEN',
    '3 workers and 1 resource',
  ],
  'tutorial-obsidian.md': [
    'vault is searched now',
    'vault/Worms',
    'Gardens/Heap.md → Ideas/heap.md (added)',
    '2 notes: 2 added',
    'Ideas/worms',
    '[[worms|Worms]]',
    '2 notes written',
  ],
  'tutorial-phone.md': [
    'topic: steward-',
    'Created notes.md.',
    'phone',
    'allowed once by device phone',
  ],
  'tutorial-python.md': ['"word_count":5', 'A_COUNT_VOWELS completed'],
  'tutorial-watch.md': [
    'adds 16 hooks and keeps yours',
    'List the files',
    'Bash',
    '1.2k',
    'deny: deletes',
  ],
}

/** The shell blocks of a page, as a person copies them; indented ones need a browser. */
const scriptOf = (page: string): string =>
  [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, body = '']) => body).join('\n')

/** Runs a script in a home of its own; the person looks at the phone while it runs. */
const play = async (script: string, home: string, { env, person }: Stage) => {
  const child = spawn('sh', ['-ex'], {
    cwd: home,
    detached: true,
    env: {
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_PORT: '0',
      LLM_PROVIDER: 'offline',
      ...env,
    },
    stdio: 'pipe',
  })
  let text = ''
  const take = (chunk: string) => {
    text += chunk
  }
  child.stdout.setEncoding('utf8').on('data', take)
  child.stderr.setEncoding('utf8').on('data', take)
  let isOver = false
  const code = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (given) => {
      isOver = true
      resolve(given)
    })
  })
  child.stdin.end(`${script}\nsteward service uninstall || true\n`)
  while (person !== undefined && !isOver) {
    await Promise.race([code, person().then(() => new Promise((next) => setTimeout(next, 50)))])
  }
  const ended = await code
  // Programs that the page left running in the background.
  if (child.pid !== undefined) endGroup(child.pid)
  return { code: ended, text }
}

const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}

/** The words that are missing, or that come before their turn. */
const missingFrom = (text: string, words: readonly string[]): string[] => {
  let at = 0
  return words.filter((word) => {
    const found = text.indexOf(word, at)
    if (found !== -1) at = found
    return found === -1
  })
}

describe.each([
  ['a clone', CLONE_LAUNCHER],
  ['the packed program', PACKED_LAUNCHER],
])('with %s', (_, launcher) => {
  const pages = tutorials.filter(
    (name) => launcher === CLONE_LAUNCHER || !CLONE_ONLY.includes(name),
  )
  test.each(pages)('%s works as written, in a fresh home', async (name) => {
    const home = mkdtempSync(join(tmpdir(), 'steward-tutorial-'))
    addSteward(home, launcher)
    const stage = (await STAGES[name]?.(home)) ?? {}
    onTestFinished(async () => {
      await stage.close?.()
      rmSync(home, { recursive: true, force: true, maxRetries: 10 })
    })
    const script = scriptOf(readFileSync(join(docs, name), 'utf8'))
    const { code, text } = await play(script, home, stage)
    expect([code, code === 0 ? '' : text]).toEqual([0, ''])
    const words = SEEN[name] ?? []
    expect(words).not.toEqual([])
    const missing = missingFrom(text, words)
    expect([missing, missing.length === 0 ? '' : text]).toEqual([[], ''])
  })
})
