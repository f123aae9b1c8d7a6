import { isFields } from '@steward/contract'
import type { TailEvent } from './follow-logs.ts'

/** Lines for a person: the invocation, then what was logged and thrown in it. */
export const describeTailEvent = (event: TailEvent): string[] => {
  const outcome = typeof event.outcome === 'string' ? event.outcome : 'unknown'
  return [
    `${describeTrigger(event.event)} ${outcome}`,
    ...listOf(event.logs).map(({ level, message }) => `  ${textOf(level)}: ${listText(message)}`),
    ...listOf(event.exceptions).map(
      ({ name, message }) => `  exception: ${textOf(name)}: ${textOf(message)}`,
    ),
  ]
}

const describeTrigger = (trigger: unknown): string => {
  if (!isFields(trigger)) return 'call'
  if (isFields(trigger.request)) {
    const { method, url } = trigger.request
    const status = isFields(trigger.response) ? ` ${textOf(trigger.response.status)}` : ''
    return `${textOf(method)} ${textOf(url)}${status}`
  }
  if (trigger.cron !== undefined) return `cron "${textOf(trigger.cron)}"`
  if (trigger.queue !== undefined) {
    return `queue ${textOf(trigger.queue)}, ${textOf(trigger.batchSize)} messages`
  }
  return 'call'
}

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isFields) : [])

const listText = (message: unknown): string =>
  Array.isArray(message) ? message.map(textOf).join(' ') : textOf(message)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
