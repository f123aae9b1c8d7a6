import { statSync } from 'node:fs'
import { join } from 'node:path'
import { EVENT_SOURCE_NAMES } from '@steward/contract'
import {
  collectEvents,
  eventLogPath,
  holdLock,
  pushEventsToTargets,
  pushWorkState,
  readWorkState,
  type TargetOutcome,
} from '@steward/platform'
import type { HookPorts } from './hook-ports.ts'

export interface PushRequest {
  events: boolean
  state: boolean
  /** The push is abandoned after this time; the daemon catches up when it is back. */
  limitMs: number
}

/**
 * Spec 2, Push timing, while there is no daemon. One hook at a time pushes for all: it checks again
 * for new rows, so that the others need not wait.
 */
export const pushWhenDown = async (request: PushRequest, ports: HookPorts): Promise<void> => {
  if ((!request.events && !request.state) || ports.isDaemonUp()) return
  const lock = holdLock(join(ports.home.databases, 'hook-push.lock'))
  if (lock === undefined) return
  try {
    const endMs = ports.now() + request.limitMs
    let pushed = ''
    while (ports.now() < endMs && pushed !== sizesOf(ports)) {
      pushed = sizesOf(ports)
      const outcomes = await pushOnce(request, endMs, ports)
      const failed = outcomes.filter(({ ok }) => !ok)
      for (const { error } of failed) ports.report(error?.message ?? 'a push failed')
      if (failed.length > 0) return
    }
  } finally {
    lock.release()
  }
}

const pushOnce = async (
  { events, state }: PushRequest,
  endMs: number,
  ports: HookPorts,
): Promise<TargetOutcome[]> => {
  const { targets } = ports.settings
  const transport = {
    environment: ports.environment,
    redactor: ports.redactor,
    now: ports.now,
    fetch: (address: string, init: RequestInit) => fetch(address, init),
    abortAfter: (delayMs: number) =>
      AbortSignal.timeout(Math.max(1, Math.min(delayMs, endMs - ports.now()))),
  }
  const pushes: Array<Promise<TargetOutcome[]>> = []
  if (events) {
    const collected = await collectEvents(ports.home)
    pushes.push(pushEventsToTargets(collected.events, targets, transport))
  }
  if (state) {
    const read = await readWorkState(ports.home)
    if (read.ok) pushes.push(pushWorkState(read.value, targets, transport))
  }
  return (await Promise.all(pushes)).flat()
}

const sizesOf = ({ home }: HookPorts): string =>
  [...EVENT_SOURCE_NAMES.map((source) => eventLogPath(home, source)), home.workState]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((found) => `${found?.size}:${found?.mtimeMs}`)
    .join(' ')
