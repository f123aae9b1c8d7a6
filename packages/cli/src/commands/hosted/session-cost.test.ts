import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostedSettings } from '@steward/contract'
import { type RunningHosted, startHosted } from '@steward/hosted'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
let silent: Server
let server: RunningHosted
let env: Record<string, string>
const asked = Promise.withResolvers<void>()

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-hosted-cost-'))
  // A model that never answers.
  silent = createServer(() => asked.resolve())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = z.object({ port: z.number() }).parse(silent.address())
  env = {
    ...{ STEWARD_HOME: join(root, 'home'), LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'sk-none' },
    LLM_BASE_URL: `http://127.0.0.1:${port}`,
  }
  server = await startHosted({
    home: join(root, 'home'),
    env,
    settings: hostedSettings.parse({ port: 0, isolation: 'none' }),
    report: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  silent.closeAllConnections()
  await server.stop()
  await new Promise((resolve) => silent.close(resolve))
  rmSync(root, { recursive: true, force: true })
})

const run = async (...args: string[]) => {
  const io = memoryIo({
    args: ['hosted', ...args],
    env,
    homedir: root,
    cwd: root,
    now: () => Date.now(),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}

it('labels the cost of a call that ended without an answer', async () => {
  await run('agents', 'create', '--name', 'a', '--model', 'claude-sonnet-5-5')
  await run('environments', 'create', '--name', 'e')
  const made = await run('sessions', 'create', '--agent', 'a', '--environment', 'e', '--json')
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(made.out))
  expect((await run('cost', id)).out).toMatch(/^together +\$0\.00 +at list prices$/m)
  expect((await run('send', id, 'hello', '--no-wait')).code).toBe(0)
  await asked.promise
  expect((await run('send', id, '--interrupt')).out).toContain('idle')
  const bill = await run('cost', id)
  expect(bill.out).toMatch(/^tokens +about \$0\.\d+/m)
  expect(bill.out).toMatch(/^together +about \$.*; calls without an answer are estimated$/m)
  expect((await run('sessions', 'show', id)).out).toContain('about $')
  expect(JSON.parse((await run('cost', id, '--json')).out)).toMatchObject({ isEstimated: true })
})
