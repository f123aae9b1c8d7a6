import { StewardError } from '@steward/contract'

const SHOWN_CHARACTERS = 128

/**
 * A well-formed but invalid call; `code` and the status together select the client's error class.
 */
export const invalid = (subject: string, reason: string, code?: string): StewardError =>
  new StewardError('invalid_input', {
    subject,
    reason,
    ...(code === undefined ? {} : { error_code: code }),
  })

export const notFound = (kind: string, id: string, code?: string): StewardError =>
  new StewardError('hosted_not_found', {
    kind,
    id: id.slice(0, SHOWN_CHARACTERS),
    ...(code === undefined ? {} : { error_code: code }),
  })
