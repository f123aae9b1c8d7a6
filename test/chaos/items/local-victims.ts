import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { flowItem } from '@steward/contract'
import { z } from 'zod'
import type { Server, World } from '../world.ts'
import {
  DELIVERED,
  FLOW,
  readColumn,
  type StartVictim,
  type Stored,
  type Victim,
} from './victim.ts'

const listed = z.object({ items: z.array(flowItem) })

/** Every answer names its item and step. */
const readStored = ({ home }: World): Stored => {
  const file = join(home, 'state/history.sqlite')
  if (!existsSync(file)) return { answers: new Set(), deliveries: new Set(), begunAgain: 0 }
  const answers = readColumn(file, 'SELECT answer FROM model_calls')
  return {
    answers: new Set(answers.map((text) => /answer to (item-\d+ [A-Z]+)/.exec(text)?.[1] ?? text)),
    deliveries: new Set(readColumn(file, DELIVERED)),
    begunAgain: readColumn(file, 'SELECT idx FROM steps WHERE attempts > 1').length,
  }
}

const listItems: (world: World) => Victim['items'] = (world) => async () => {
  const { code, stdout, stderr } = await world.run([
    'flows',
    'items',
    FLOW,
    '--limit',
    '9999',
    '--json',
  ])
  if (code !== 0) throw new Error(`the items cannot be listed: ${stderr}`)
  return listed.parse(JSON.parse(stdout)).items
}

/** `steward trigger` and `steward runs resume`. */
export const startRunner: StartVictim = (world, { below }) => {
  let killing: AbortController | undefined
  return {
    run: async (onBegin) => {
      onBegin()
      const mine = new AbortController()
      killing = mine
      const args = below(2) === 0 ? ['runs', 'resume'] : ['trigger', FLOW]
      await world.run([...args, '--json'], { kill: mine.signal })
      killing = undefined
    },
    kill: async () => {
      killing?.abort()
      return killing !== undefined
    },
    items: listItems(world),
    stored: () => readStored(world),
    hasKeys: true,
    close: async () => undefined,
  }
}

const runs = z.object({ runs: z.array(z.object({ id: z.string() })) })
const run = z.object({ status: z.string() })
const POLL_MS = 20

/** The flow is started over HTTP; the daemon is started again after a kill. */
export const startDaemon: StartVictim = (world, { below }) => {
  let daemon: Server | undefined
  const call = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${daemon?.address}${path}`, {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.token()}` },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return answer.ok ? JSON.parse(text) : undefined
  }
  const resume = async (): Promise<void> => {
    const left = await call('/api/runs?status=interrupted&primitive=flow')
    for (const { id } of left === undefined ? [] : runs.parse(left).runs) {
      await call(`/api/runs/${id}/resume`, {})
      while (run.safeParse(await call(`/api/runs/${id}`)).data?.status === 'running') {
        await delay(POLL_MS)
      }
    }
  }
  return {
    run: async (onBegin) => {
      onBegin()
      daemon ??= await world.serve(['daemon', '--port', '0', '--json'])
      try {
        if (below(2) === 0) await resume()
        await call('/api/runs?wait=60', { name: FLOW })
      } catch {
        // The daemon was killed during the call.
      }
    },
    kill: async () => {
      const victim = daemon
      daemon = undefined
      await victim?.kill()
      return victim !== undefined
    },
    items: listItems(world),
    stored: () => readStored(world),
    hasKeys: true,
    close: async () => daemon?.kill(),
  }
}
