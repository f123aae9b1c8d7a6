import { ERRORS, isErrorCode } from '@steward/contract'

/** What to do about an error that a deployed worker answered with; what is set here does not reach it there. */
export const workerRemedy = (code: string, worker: string): string | undefined => {
  const short = worker.replace(/^exec-/, '')
  const byCode: Record<string, string> = {
    unauthorized: `AUTH_TOKEN is not set on the worker or is another one than yours: steward secrets generate sets one on all workers.`,
    secret_missing: `Set it on the worker: steward secrets set NAME --worker ${short}`,
    invalid_api_key: `The LLM provider says the API key is invalid: steward secrets set LLM_API_KEY --all`,
    rate_limited: 'The caller backs off: wait, lengthen the interval, or raise the limit.',
    binding_missing: `Deploy the target workers before the workers that bind to them: steward workers status ${short} shows which are missing.`,
  }
  return byCode[code] ?? (isErrorCode(code) ? ERRORS[code].remedy : undefined)
}
