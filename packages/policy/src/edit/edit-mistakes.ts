import { StewardError } from '@steward/contract'

/** The error for a rejected change: names the field at fault and the reason. */
export const mistake = (field: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'the change', field, reason })

export const unknownRule = (name: string): StewardError =>
  new StewardError('not_found', { what: 'rule', name })
