import type { ErrorRow } from './error-row.ts'

/** Models, feeds and other services on the internet. */
export const SERVICE_ERRORS = {
  address_refused: {
    status: 400,
    retryable: false,
    message: 'refused to connect to {host}: {reason}',
    remedy:
      'Private, loopback and link-local addresses are refused. If the host is yours, add it to execution.fetch.allowPrivateHosts in settings.json.',
  },
  model_refused: {
    status: 422,
    retryable: false,
    message: 'the model {model} refused to answer: {reason}',
    remedy: 'Change the content or the prompt; a retry gives the same answer.',
  },
  loop_unmet: {
    status: 422,
    retryable: false,
    message: 'the loop gate {gate} was not met after {limit} iterations: {reason}',
    remedy:
      'Lower the value or raise maxIterations, or set "onCap": "deliver" in the loop to deliver the last result anyway.',
  },
  feed_unreadable: {
    status: 422,
    retryable: false,
    message: '{subject} is not a readable feed: {reason}',
    remedy:
      'Open the address in a browser; the feed may have moved, or the address may be a web page.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    message: '{service} is rate limiting us: {reason}',
    remedy: 'Wait, lengthen the interval, or raise the limit with the provider.',
  },
  invalid_api_key: {
    status: 502,
    retryable: false,
    message: '{service} rejected the API key (401)',
    remedy: 'Check LLM_API_KEY, or the key that the message names.',
  },
  credit_exhausted: {
    status: 502,
    retryable: false,
    message: 'the credit or quota at {service} is used up: {reason}',
    remedy: 'Top up the account or raise its limit with the provider, or set another LLM_API_KEY.',
  },
  model_overloaded: {
    status: 502,
    retryable: true,
    message: '{service} is overloaded ({status})',
    remedy: 'Retry later.',
  },
  model_malformed: {
    status: 502,
    retryable: true,
    message: 'the model {model} returned an invalid answer: {reason}',
    remedy: 'Use a stronger tier, or a simpler schema.',
  },
  upstream_failed: {
    status: 502,
    retryable: true,
    message: '{service} answered with an error: {reason}',
    remedy: 'Check the named service.',
  },
} as const satisfies Record<string, ErrorRow>
