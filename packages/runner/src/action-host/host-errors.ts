import { isErrorCode, LIMITS, StewardError } from '@steward/contract'
import { receiveError, type SentError } from './host/sent-errors.ts'
import { ownStack } from './own-stack.ts'
import type { HostMessage } from './read-host-message.ts'
import type { HostedAction } from './start-host-process.ts'

type Failed = Extract<HostMessage, { type: 'failed' }>
type Crashed = Extract<HostMessage, { type: 'crashed' }>

/** What a failed call means: an error of the table, with the stack of the action's own code. */
export const explainFailure = (action: HostedAction, { at, error }: Failed): Error => {
  if (at === 'load') {
    const reason = `cannot be loaded: ${placeOf(error)}${error.message}`
    return withStack(
      new StewardError('invalid_definition', { file: action.file, reason }),
      error,
      action,
    )
  }
  if (at === 'execute') return restoreError(error, action)
  const { bytes, limit } = error.details ?? {}
  if (error.name === 'TooLarge' && typeof bytes === 'number' && typeof limit === 'number') {
    const subject = `the output of ${action.name}`
    return new StewardError('payload_too_large', { subject, bytes, limit })
  }
  const reason = 'the output cannot be written as JSON'
  return new StewardError('invalid_output', { action: action.name, reason })
}

/** An error of the table is one again; anything else stays what it was. */
const restoreError = (sent: SentError, action: HostedAction): Error => {
  const received = receiveError(sent)
  if (sent.name !== 'StewardError' || sent.code === undefined || !isErrorCode(sent.code)) {
    return withStack(received, sent, action)
  }
  return withStack(
    StewardError.restore(sent.code, sent.message, sent.details, received.cause),
    sent,
    action,
  )
}

/** The action ended its own process. */
export const explainCrash = (action: HostedAction, { reason, error }: Crashed): StewardError => {
  const [, code] = /^exit (\d+)$/.exec(reason) ?? []
  const said = code === undefined ? `${reason}: ${error.message}` : `it exited with code ${code}`
  return withStack(
    new StewardError('action_crashed', { action: action.name, reason: said }),
    error,
    action,
  )
}

/** The process ended without a message from the program inside. */
export const explainEnd = ({ name }: HostedAction, code: number, stderr: string): StewardError => {
  if (/heap out of memory|Allocation failed|process OOM/i.test(stderr)) {
    return new StewardError('action_memory', { action: name, limit: LIMITS.actionHeapBytes })
  }
  const [first = ''] = stderr.trim().split('\n')
  const said = first === '' ? '' : `: ${first.slice(0, 200)}`
  const reason = `its process ended with code ${code}${said}`
  return new StewardError('action_crashed', { action: name, reason })
}

/** A syntax error names its place in the first line of its stack. */
const placeOf = ({ stack = '', name }: SentError): string => {
  if (name !== 'SyntaxError') return ''
  const [, line] = /^[^\n]*:(\d+)\n/.exec(stack) ?? []
  return line === undefined ? '' : `line ${line}: `
}

/** For the run's record. */
const withStack = <E extends Error>(error: E, { stack }: SentError, action: HostedAction): E =>
  stack === undefined ? error : Object.assign(error, { actionStack: ownStack(stack, action) })
