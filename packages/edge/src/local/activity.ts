import type { Delivered } from './queue-broker.ts'
import type { Fired } from './scheduler.ts'

/** Fired crons and delivered batches. */
export interface Activity {
  fired: Fired[]
  delivered: Delivered[]
}

export const emptyActivity = (): Activity => ({ fired: [], delivered: [] })

export const describeFired = ({ worker, cron, scheduledTimeMs, outcome }: Fired): string =>
  `${new Date(scheduledTimeMs).toISOString()} ${worker}: cron '${cron}' ${outcome === 'ok' ? 'ok' : `failed (${outcome})`}`

export const describeDelivered = (delivered: Delivered): string => {
  const { queue, worker, acked, retried, deadLettered, dropped, outcome } = delivered
  const parts = [
    `${acked} done`,
    ...(retried > 0 ? [`${retried} to retry`] : []),
    ...(deadLettered > 0 ? [`${deadLettered} dead-lettered`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
  ]
  const how = outcome === 'ok' ? '' : ` (${outcome})`
  return `${worker}: a batch of queue ${queue}${how}: ${parts.join(', ')}`
}

/** The activity as JSON, with ISO times. */
export const activityToJson = ({ fired, delivered }: Activity) => ({
  fired: fired.map(({ scheduledTimeMs, ...rest }) => ({
    ...rest,
    scheduledTime: new Date(scheduledTimeMs).toISOString(),
  })),
  delivered,
})
