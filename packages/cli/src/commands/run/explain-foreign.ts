import { StewardError } from '@steward/contract'

export interface ForeignAnswer {
  worker: string
  url: string
  status: number
  text: string
  retryAfter: string | null
}

/** What the platform's own error pages mean, by the number they carry. */
const PLATFORM_CODES: Record<string, string> = {
  '1015': 'the platform is rate limiting the caller (1015)',
  '1027': "the account's requests of the day are used up (1027)",
  '1042': 'the platform does not let a worker call this one by its address (1042)',
  '1101':
    'the worker threw an exception before it could answer (1101): `steward workers logs` has it',
  '1102':
    'the worker used up its CPU time (1102); the free plan allows 10 ms a request, a sandbox worker or the paid plan more',
}

/** An answer that is none of a worker of ours: the platform or something else spoke in its place. */
export const explainForeign = (answer: ForeignAnswer): StewardError => {
  const { worker, url, status, text, retryAfter } = answer
  const known = PLATFORM_CODES[/error code: (\d{4})/i.exec(text)?.[1] ?? '']
  const said = known ?? `HTTP ${status} without an answer of Steward's: ${text.slice(0, 200)}`
  const later = retryAfter === null ? '' : `; try again in ${retryAfter} s`
  const reason = `${said}${later}`
  if (status === 404) return new StewardError('worker_not_found', { worker: `${worker} at ${url}` })
  if (status === 429) return new StewardError('rate_limited', { service: worker, reason })
  if (status === 529) return new StewardError('model_overloaded', { service: worker })
  return new StewardError('upstream_failed', { service: worker, reason, status })
}
