import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type EdgeProcess, findFreePort, startEdge, writeWorker } from './edge-up-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

/** Keeps every tick in KV. */
const CLOCKWORK = `
export default {
  async fetch(request, env) {
    const { keys } = await env.FLOW_STATE.list()
    return Response.json(keys.map(({ name }) => name))
  },
  async scheduled({ cron, scheduledTime }, env, ctx) {
    ctx.waitUntil(env.FLOW_STATE.put(new Date(scheduledTime).toISOString() + ' ' + cron, '1'))
  },
}
`

const answer = z.object({
  now: z.string(),
  fired: z.array(z.looseObject({ worker: z.string() })),
})

let cli: Cli
let edge: EdgeProcess
let args: string[] = []

beforeAll(async () => {
  cli = createCli(CLONE_LAUNCHER)
  writeWorker(join(cli.files, 'workers'), 'f-count-ticks', CLOCKWORK, {
    triggers: { crons: ['*/5 * * * *', '0 9 * * 1-5'] },
    kv_namespaces: [{ binding: 'FLOW_STATE', id: 'ticks' }],
  })
  args = ['--port', String(await findFreePort())]
  edge = await startEdge(cli, { args: [...args, '--at', '2026-01-30T08:52:30Z'] })
})

afterAll(async () => {
  await edge.stop()
  cli.remove()
})

/** The library's own flows have crons too. */
const ours = async (line: string) => {
  const { now, fired } = answer.parse(await edge.ask(line))
  return { now, fired: fired.filter(({ worker }) => worker === 'exec-f-count-ticks') }
}

test('crons fire at their times of the virtual clock, with those times', async () => {
  expect(await ours('advance 2m')).toEqual({ now: '2026-01-30T08:54:30.000Z', fired: [] })
  expect(await ours('advance 1m')).toMatchObject({
    fired: [
      { cron: '*/5 * * * *', scheduledTime: '2026-01-30T08:55:00.000Z', outcome: 'ok', missed: 0 },
    ],
  })
  expect(await ours('advance 30m')).toMatchObject({ now: '2026-01-30T09:25:30.000Z' })
  const { body } = await edge.call('F_COUNT_TICKS', '/')
  expect(body).toEqual([
    '2026-01-30T08:55:00.000Z */5 * * * *',
    '2026-01-30T09:00:00.000Z */5 * * * *',
    '2026-01-30T09:00:00.000Z 0 9 * * 1-5',
    '2026-01-30T09:05:00.000Z */5 * * * *',
    '2026-01-30T09:10:00.000Z */5 * * * *',
    '2026-01-30T09:15:00.000Z */5 * * * *',
    '2026-01-30T09:20:00.000Z */5 * * * *',
    '2026-01-30T09:25:00.000Z */5 * * * *',
  ])
})

test('a line that is no command is answered', async () => {
  expect(await edge.ask('advance soon')).toEqual({
    error: 'not understood: advance soon; write for example: advance 5m',
  })
})

test('what a worker wrote survives kill -9', async () => {
  await edge.kill()
  edge = await startEdge(cli, { args: [...args, '--at', '2026-01-31T09:01:00Z'] })
  const { body } = await edge.call('F_COUNT_TICKS', '/')
  expect(body).toHaveLength(8)
})
