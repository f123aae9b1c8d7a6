import { formatDuration, formatTime } from '../output/format.ts'
import type { HookReport } from './host-report.ts'

/** A line for each event: registered or not, when it was last heard of, how long it takes. */
export const renderHooks = (hooks: readonly HookReport[]): string[] =>
  hooks.map(({ event, kind, registered, waited, lastFiring, firings, medianMs }) => {
    const name = kind === 'tells' ? event : `${event} (${KINDS[kind]})`
    const start = `${registered ? '+' : '-'} ${name.padEnd(32)}`
    if (kind === 'asks') return `${start} asked by the host itself`
    if (lastFiring === null || medianMs === null) return `${start} not heard of`
    const took = `${formatDuration(medianMs)}${waited ? '' : ', not waited for'}`
    return `${start} ${formatTime(lastFiring)}  ${took} (${firings})`
  })

const KINDS = { guards: 'guard', asks: "daemon's guard" } as const
