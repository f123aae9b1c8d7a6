import type { HookReport } from '@steward/assistants'
import { formatDuration, formatTime } from '../../output/format.ts'

/** One line per event: registered or not, last firing, duration. */
export const renderHooks = (hooks: readonly HookReport[]): string[] =>
  hooks.map(({ event, kind, registered, waited, lastFiring, firings, medianMs }) => {
    const name = kind === 'tells' ? event : `${event} (${KINDS[kind]})`
    const start = `${registered ? '+' : '-'} ${name.padEnd(32)}`
    if (kind === 'asks') return `${start} asked by the assistant itself`
    if (lastFiring === null || medianMs === null) return `${start} never fired`
    const took = `${formatDuration(medianMs)}${waited ? '' : ', not waited for'}`
    return `${start} ${formatTime(lastFiring)}  ${took} (${firings})`
  })

const KINDS = { guards: 'guard', asks: "daemon's guard" } as const
