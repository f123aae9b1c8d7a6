import type { VendorFailure } from './vendor-failure.ts'

/**
 * What a vendor's failure is about. `request`: the vendor refuses the request for a reason that is
 * not known here; `failed`: the vendor itself is broken or unreachable.
 */
export type FailureKind =
  | 'key'
  | 'credit'
  | 'account'
  | 'model'
  | 'rate-limited'
  | 'overloaded'
  | 'content'
  | 'request'
  | 'failed'

/** Statuses are checked by `fits`; the pattern matches the vendor's code or type, or its message. */
interface Rule {
  kind: FailureKind
  fits: (status: number) => boolean
  pattern: RegExp
}

const always = () => true
const refused = (status: number) => status >= 400 && status < 500
const broken = (status: number) => status >= 500 || status === 429 || status === 498

/**
 * The forms of Anthropic, OpenAI and the servers that imitate it (Azure, Gemini, Groq, Mistral,
 * OpenRouter, DeepSeek, vLLM, llama.cpp, Ollama). The first match counts: vendors send the same
 * status for causes that have nothing in common.
 */
const RULES: readonly Rule[] = [
  {
    kind: 'credit',
    fits: refused,
    pattern:
      /\b(insufficient_quota|billing_(error|not_active|hard_limit_reached)|credit balance is too low|insufficient[ _](credits?|balance|funds|quota)|(exceeded|reached) your [a-z ]*(quota|usage limits?)|hard limit has been reached|out of credits|payment required|requires more credits)\b/i,
  },
  {
    kind: 'key',
    fits: refused,
    pattern:
      /\b(invalid_api_key|authentication_error|API_KEY_INVALID|(invalid|incorrect|expired) api key|api key (not valid|expired|not found|is invalid))\b/i,
  },
  {
    kind: 'account',
    fits: refused,
    pattern:
      /\b(account_deactivated|unsupported_country_region_territory|(organi[sz]ation|account|project|workspace) (has been|is|was) (disabled|deactivated|suspended|archived))\b/i,
  },
  {
    kind: 'content',
    fits: (status) => status === 400 || status === 413 || status === 422 || status === 429,
    pattern:
      /\b(context_length_exceeded|exceed_context_size_error|string_above_max_length|request_too_large|request too large|context (length|window|size)|prompt is too long|input (is|was) too long|(input|prompt|messages?) (tokens? )?exceeds?|too many (input )?tokens|reduce (the length|your (prompt|message)))\b/i,
  },
  {
    kind: 'content',
    fits: refused,
    pattern:
      /\b(content_policy_violation|content_filter|invalid_prompt|data_inspection_failed|content (filter(ing)?|management|moderation|policy|policies)|usage polic(y|ies)|safety (system|reasons|policy|filters?)|flagged (as|by|for)|(requires|failed) moderation)\b/i,
  },
  {
    kind: 'model',
    fits: always,
    pattern:
      /\b(model_not_found|model_decommissioned|model .{1,80} (not found|does not exist|not exist|is not supported|has been (decommissioned|deprecated))|more system memory)\b/i,
  },
  {
    kind: 'overloaded',
    fits: broken,
    pattern:
      /\b(overloaded(_error)?|slow_down|server_busy|server (is )?busy|(at|over|exceeded|insufficient) capacity|capacity_exceeded|engine is currently|loading model)\b/i,
  },
]

/** The kind of a failure, from its status and the vendor's own words. */
export const classifyFailure = ({ status, kind = '', message }: VendorFailure): FailureKind => {
  if (status === undefined) return 'failed'
  const words = `${kind} ${message}`
  const rule = RULES.find(({ fits, pattern }) => fits(status) && pattern.test(words))
  return rule?.kind ?? kindOfStatus(status)
}

const kindOfStatus = (status: number): FailureKind => {
  switch (status) {
    case 401:
      return 'key'
    case 402:
      return 'credit'
    case 403:
    case 404:
      return 'model'
    case 408:
      return 'failed'
    case 413:
      return 'content'
    case 429:
      return 'rate-limited'
    case 529:
      return 'overloaded'
    default:
      return status < 500 ? 'request' : 'failed'
  }
}
