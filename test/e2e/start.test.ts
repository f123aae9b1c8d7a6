import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NEXT_STEPS } from '../../packages/cli/src/commands/start/next-steps.ts'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { type Cli, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER, PACKED_LAUNCHER } from './launcher.ts'

/** The script of `npm start`, run as a separate process. */
const SCRIPT = join(import.meta.dirname, '../../scripts/start.ts')

let cli: Cli
beforeEach(() => {
  cli = createCli(CLONE_LAUNCHER)
})
afterEach(() => cli.remove())

/** Of a megabyte each: more than the daemon reads itself. */
const LARGE_FILES = 18

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

const start = ({
  program = [SCRIPT],
  isTerminal = false,
  env = {},
}: {
  program?: readonly string[]
  isTerminal?: boolean
  env?: Record<string, string>
} = {}) => {
  const words = [process.execPath, ...program]
  const [command = '', ...args] = isTerminal
    ? ['script', '-qfec', words.map(quote).join(' '), '/dev/null']
    : words
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
      STEWARD_PORT: '0',
      LLM_PROVIDER: 'offline',
      TERM: 'xterm',
      ...env,
    },
    stdio: [isTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const grown = new Set<() => void>()
  const take = (chunk: string) => {
    text += chunk
    for (const look of grown) look()
  }
  child.stdout?.setEncoding('utf8').on('data', take)
  child.stderr?.setEncoding('utf8').on('data', take)
  const exited = once(child, 'exit')
  return {
    text: () => text,
    type: (keys: string) => child.stdin?.write(keys),
    said: (wanted: string) =>
      Promise.race([
        new Promise<void>((resolve) => {
          const look = () => {
            if (text.includes(wanted)) resolve()
          }
          grown.add(look)
          look()
        }),
        exited.then(() => {
          if (!text.includes(wanted)) throw new Error(`it ended without saying ${wanted}: ${text}`)
        }),
      ]),
    stop: async () => {
      if (isTerminal) child.stdin?.write('\u0003')
      else child.kill('SIGINT')
      const [code] = await exited
      return code
    },
    exited,
  }
}
const addressIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ''

it('starts the daemon, runs the sample flow once, and prints where everything is', async () => {
  const first = start()
  await first.said('What to try next')
  expect(first.text()).toContain('F_SAMPLE_DIGEST delivered: 5 delivered')
  expect(first.text()).toContain('npx steward hooks install')
  expect(first.text()).toContain('Assistants  none found')
  // Nothing that looks like a log line or a problem, and no question.
  expect(first.text()).not.toMatch(/ (?:info|warn|error) |warning|\[y\/N\]/)
  expect(first.text()).toMatch(/result .*digest\.md\n/)
  const health = await fetch(`${addressIn(first.text())}/health`)
  expect(await health.json()).toMatchObject({ status: 'ok', service: 'steward' })

  const beside = start()
  const [code] = await beside.exited
  expect(code).toBe(0)
  expect(beside.text()).toContain('A daemon runs on this data home already')
  expect(await first.stop()).toBe(0)

  const second = start()
  await second.said('What to try next')
  expect(second.text()).not.toContain('F_SAMPLE_DIGEST')
  expect(await second.stop()).toBe(0)
})

const writeHistory = (sessions: number) => {
  const folder = join(cli.files, '.claude/projects/shop')
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < sessions; number++) {
    const row = {
      type: 'assistant',
      sessionId: `s${number}`,
      requestId: `req_${number}`,
      timestamp: new Date().toISOString(),
      message: {
        id: `m${number}`,
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: 'done' }],
        usage: { input_tokens: 1000, output_tokens: 2000 },
      },
    }
    writeFileSync(join(folder, `s${number}.jsonl`), `${JSON.stringify(row)}\n`)
  }
}

it('imports a long history in a separate process and prints nothing', async () => {
  writeHistory(3)
  const folder = join(cli.files, '.claude/projects/shop')
  const row = { type: 'user', sessionId: 's0', message: { role: 'user', content: 'x'.repeat(1e6) } }
  for (let number = 0; number < LARGE_FILES; number++) {
    writeFileSync(join(folder, `s${number}-long.jsonl`), `${JSON.stringify(row)}\n`)
  }
  const first = start()
  await first.said('What to try next')
  expect(first.text()).toMatch(/History +3 sessions in 30 days, \$\d/)
  expect(first.text()).not.toMatch(/ (?:info|warn|error) /)
  expect(await first.stop()).toBe(0)
})

it('connects assistants at a terminal, shows their history and opens the page signed in', async () => {
  writeHistory(7)
  const opened = join(cli.files, 'opened')
  const bin = join(cli.files, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`)
  chmodSync(join(bin, 'xdg-open'), 0o755)
  const env = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':9' }
  const first = start({ isTerminal: true, env })
  await first.said('[y/N]')
  expect(first.text()).toContain('Found       Claude Code, not connected yet')
  first.type('y\n')
  await first.said('Ctrl+C')
  expect(readFileSync(join(cli.files, '.claude/settings.json'), 'utf8')).toContain('steward')
  expect(first.text()).toMatch(/History +7 sessions in 30 days, \$\d/)
  expect(first.text()).toContain('The dashboard opens in your browser.')
  expect(first.text()).not.toContain('npx steward hooks install')
  const answer = await fetch(readFileSync(opened, 'utf8').trim(), { redirect: 'manual' })
  expect([answer.status, answer.headers.has('set-cookie')]).toEqual([303, true])
  await first.stop()

  const second = start({ isTerminal: true, env })
  await second.said('Ctrl+C')
  expect(second.text()).toContain('Connected   Claude Code')
  expect(second.text()).not.toContain('[y/N]')
  await second.stop()
})

describe.each([
  ['a clone', CLONE_LAUNCHER],
  ['the packed program', PACKED_LAUNCHER],
])('the next steps in %s', (_, launcher) => {
  it('work as printed, in order', async () => {
    const other = createCli(launcher)
    const first = start({ program: [launcher, 'start'], env: { STEWARD_HOME: other.home } })
    const extra: Record<string, readonly string[]> = {
      open: ['--print'],
      hooks: ['--host', 'claude', '--yes'],
      service: ['--supervisor', 'built-in'],
    }
    const env = { STEWARD_PORT: '0' }
    try {
      await first.said('Ctrl+C')
      for (const { args } of NEXT_STEPS) {
        expect(first.text()).toContain(args.join(' '))
        const { code, stderr } = await other.run([...args, ...(extra[args[0] ?? ''] ?? [])], {
          env,
        })
        expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, ''])
      }
      // The service has replaced the daemon of the first start.
      const [code] = await first.exited
      expect(code).toBe(0)
    } finally {
      await first.stop()
      await other.run(['service', 'uninstall', '--supervisor', 'built-in'], { env })
      other.remove()
    }
  })
})
