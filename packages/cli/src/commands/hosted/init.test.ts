import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostedSettings } from '@steward/contract'
import { startHosted } from '@steward/hosted'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

it('names a model that a self-hosted provider serves', async () => {
  const provider = createServer((_, answer) => {
    const data = [{ id: 'qwen3:8b', object: 'model', created: 1 }]
    answer.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(provider.address())
  const root = mkdtempSync(join(tmpdir(), 'steward-hosted-init-'))
  const env = {
    STEWARD_HOME: join(root, 'home'),
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: `http://127.0.0.1:${port}/v1`,
  }
  const server = await startHosted({
    home: env.STEWARD_HOME,
    env,
    settings: hostedSettings.parse({ port: 0, isolation: 'none' }),
    report: (error) => {
      throw error
    },
  })
  onTestFinished(async () => {
    await server.stop()
    provider.closeAllConnections()
    provider.close()
    rmSync(root, { recursive: true, force: true })
  })
  const io = memoryIo({
    ...{ args: ['hosted', 'init', '--json'], env, homedir: root, cwd: root },
    now: () => Date.UTC(2026, 10, 15),
  })
  expect(await runCli(io)).toBe(0)
  expect(JSON.parse(io.out.text())).toMatchObject({ model: 'qwen3:8b', offline: false })
})
