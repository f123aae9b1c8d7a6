import { StewardError } from '@steward/contract'

const SHOWN_CHARACTERS = 128

/** A call that is understood and wrong; `code` selects the client's error class together with the status. */
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
