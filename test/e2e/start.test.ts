import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { type Cli, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

/** The script of `npm start`, run as a separate process. */
const SCRIPT = join(import.meta.dirname, '../../scripts/start.ts')

let cli: Cli
beforeEach(() => {
  cli = createCli(CLONE_LAUNCHER)
})
afterEach(() => cli.remove())

const start = () => {
  const child = spawn(process.execPath, [SCRIPT], {
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
      STEWARD_PORT: '0',
      LLM_PROVIDER: 'offline',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const grown = new Set<() => void>()
  const take = (chunk: string) => {
    text += chunk
    for (const look of grown) look()
  }
  child.stdout.setEncoding('utf8').on('data', take)
  child.stderr.setEncoding('utf8').on('data', take)
  const exited = once(child, 'exit')
  return {
    text: () => text,
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
      child.kill('SIGINT')
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
