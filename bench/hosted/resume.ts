import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { percentile } from '../daemon/median.ts'
import { createApiClient } from './api-client.ts'
import {
  type HostedProcess,
  type HostedProcessOptions,
  startHostedProcess,
} from './hosted-process.ts'
import { startClients } from './orders.ts'
import type { StandInModel } from './stand-in-model.ts'

type Print = (line: string) => void

const THINK_MS = 60_000
const page = z.looseObject({
  data: z.array(z.looseObject({ processed_at: z.string().nullable() })),
})

export interface ResumeCase {
  sessions: number
  /** Whether the surviving server already runs when the other is killed, or is started then. */
  survivor: 'there' | 'started'
}

/** SIGKILL while every session waits for its model: how soon each session continues. */
export const benchResume = async (
  server: HostedProcess,
  options: HostedProcessOptions,
  model: StandInModel,
  { sessions, survivor }: ResumeCase,
  print: Print,
): Promise<HostedProcess> => {
  const clients = startClients(server.address, server.key)
  const ids = await clients.create(sessions)
  model.setThinking(THINK_MS)
  const client = createApiClient(server.address, server.key)
  await Promise.all(
    ids.map((id) =>
      client.call('POST', `/v1/sessions/${id}/events`, {
        events: [{ type: 'user.message', content: [{ type: 'text', text: 'Look it up.' }] }],
      }),
    ),
  )
  while (model.open() < sessions) await sleep(20)
  client.close()
  await clients.stop()

  const beside = survivor === 'there' ? await startHostedProcess(options) : undefined
  model.setThinking(0)
  const killedMs = Date.now()
  await server.kill()
  const next = beside ?? (await startHostedProcess(options))
  const after = createApiClient(next.address, next.key)
  const resumed = await Promise.all(ids.map((id) => findResumed(after, id, killedMs)))
  after.close()
  print(
    `  killed with ${String(sessions).padEnd(4)} at work  ${survivor === 'there' ? 'another server there' : `a start takes ${next.startMs.toFixed(0)} ms`}; ` +
      `first event after ${percentile(resumed, 0)} ms, in the middle ${percentile(resumed, 0.5)} ms, last session ${percentile(resumed, 1)} ms`,
  )
  return next
}

/** From the kill to the session's next event. */
const findResumed = async (
  client: ReturnType<typeof createApiClient>,
  id: string,
  killedMs: number,
): Promise<number> => {
  for (;;) {
    const { data } = page.parse(await client.call('GET', `/v1/sessions/${id}/events?limit=100`))
    const first = data
      .map(({ processed_at }) => Date.parse(processed_at ?? ''))
      .find((at) => at > killedMs)
    if (first !== undefined) return first - killedMs
    await sleep(100)
  }
}
