import { errorClassOf, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import type { ScriptedAnswer } from '../testing/stand-in-types.ts'
import { createTestClient } from '../testing/test-client.ts'
import { startVendorStandIn } from '../testing/vendor-stand-in.ts'

const failWith = async (provider: 'anthropic' | 'openai' | 'ollama', answer: ScriptedAnswer) => {
  const standIn = await startVendorStandIn({ script: Array(9).fill(answer) })
  try {
    const thrown = await createTestClient(standIn, provider)
      .client.call('Hello')
      .catch((error: unknown) => error)
    if (thrown instanceof StewardError) return { error: thrown, calls: standIn.calls.length }
    throw new Error(`expected an error, got ${JSON.stringify(thrown)}`)
  } finally {
    await standIn.close()
  }
}

const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const openai = (code: string | number | null, message: string, type: string | null = null) => ({
  error: { message, type, param: null, code },
})

type Row = [
  provider: 'anthropic' | 'openai' | 'ollama',
  status: number,
  body: unknown,
  code: string,
]

/** Bodies as the vendors send them. */
const CONFIGURATION: Row[] = [
  [
    'anthropic',
    400,
    anthropic(
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
    'credit_exhausted',
  ],
  [
    'anthropic',
    400,
    anthropic(
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    ),
    'credit_exhausted',
  ],
  [
    'anthropic',
    402,
    anthropic('billing_error', 'There is an issue with your billing or payment information.'),
    'credit_exhausted',
  ],
  ['anthropic', 401, anthropic('authentication_error', 'invalid x-api-key'), 'invalid_api_key'],
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'This organization has been disabled.'),
    'not_configured',
  ],
  [
    'anthropic',
    403,
    anthropic(
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
    'not_configured',
  ],
  ['anthropic', 404, anthropic('not_found_error', 'model: claude-haiku-5-5'), 'not_configured'],
  [
    'openai',
    429,
    openai(
      'insufficient_quota',
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
    ),
    'credit_exhausted',
  ],
  [
    'openai',
    429,
    openai(
      'billing_not_active',
      'Your account is not active, please check your billing details on our website.',
    ),
    'credit_exhausted',
  ],
  [
    'openai',
    400,
    openai('billing_hard_limit_reached', 'Billing hard limit has been reached'),
    'credit_exhausted',
  ],
  [
    'openai',
    401,
    openai('invalid_api_key', 'Incorrect API key provided: sk-1234.'),
    'invalid_api_key',
  ],
  [
    'openai',
    401,
    openai(
      'account_deactivated',
      'The OpenAI account associated with this API key has been deactivated.',
    ),
    'not_configured',
  ],
  [
    'openai',
    404,
    openai('model_not_found', 'The model `gpt-9` does not exist or you do not have access to it.'),
    'not_configured',
  ],
  // OpenRouter, DeepSeek, Gemini, Groq, Mistral
  [
    'openai',
    402,
    openai(402, 'This request requires more credits, or fewer max_tokens.'),
    'credit_exhausted',
  ],
  [
    'openai',
    402,
    openai('invalid_request_error', 'Insufficient Balance', 'unknown_error'),
    'credit_exhausted',
  ],
  [
    'openai',
    400,
    [
      {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    'invalid_api_key',
  ],
  [
    'openai',
    400,
    openai(
      'model_decommissioned',
      'The model `llama2-70b` has been decommissioned and is no longer supported.',
    ),
    'not_configured',
  ],
  ['openai', 401, { message: 'Unauthorized', request_id: '1' }, 'invalid_api_key'],
  ['ollama', 404, { error: 'model "llama9" not found, try pulling it first' }, 'not_configured'],
  [
    'ollama',
    500,
    { error: 'model requires more system memory (12.7 GiB) than is available (5.1 GiB)' },
    'not_configured',
  ],
]

const CONTENT: Row[] = [
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
    'rejected_content',
  ],
  [
    'anthropic',
    413,
    anthropic('request_too_large', 'Request exceeds the maximum size'),
    'rejected_content',
  ],
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'Output blocked by content filtering policy'),
    'rejected_content',
  ],
  [
    'openai',
    400,
    openai(
      'context_length_exceeded',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'invalid_request_error',
    ),
    'rejected_content',
  ],
  [
    'openai',
    400,
    openai(
      'invalid_prompt',
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
    ),
    'rejected_content',
  ],
  [
    'openai',
    400,
    openai(
      'content_filter',
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    ),
    'rejected_content',
  ],
  [
    'openai',
    400,
    openai(
      'content_policy_violation',
      'Your request was rejected as a result of our safety system.',
    ),
    'rejected_content',
  ],
  [
    'openai',
    429,
    openai(
      'rate_limit_exceeded',
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000.',
      'tokens',
    ),
    'rejected_content',
  ],
  [
    'openai',
    413,
    openai(
      'rate_limit_exceeded',
      'Request too large for model `llama-3` on tokens per minute (TPM): Limit 6000, Requested 9000',
      'tokens',
    ),
    'rejected_content',
  ],
  [
    'openai',
    403,
    openai(
      403,
      'openai/gpt-4o requires moderation on OpenAI. Your input was flagged for "violence".',
    ),
    'rejected_content',
  ],
  [
    'openai',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    'rejected_content',
  ],
  [
    'openai',
    400,
    openai(
      400,
      'the request exceeds the available context size. try increasing the context size',
      'exceed_context_size_error',
    ),
    'rejected_content',
  ],
]

const LATER: Row[] = [
  [
    'anthropic',
    429,
    anthropic(
      'rate_limit_error',
      "This request would exceed your organization's rate limit of 50 requests per minute.",
    ),
    'rate_limited',
  ],
  ['anthropic', 529, anthropic('overloaded_error', 'Overloaded'), 'model_overloaded'],
  ['anthropic', 500, anthropic('api_error', 'Internal server error'), 'upstream_failed'],
  [
    'openai',
    429,
    openai(
      'rate_limit_exceeded',
      'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
      'tokens',
    ),
    'rate_limited',
  ],
  [
    'openai',
    503,
    openai(null, 'The engine is currently overloaded, please try again later', 'server_error'),
    'model_overloaded',
  ],
  [
    'openai',
    503,
    openai('slow_down', 'Slow down', 'service_unavailable_error'),
    'model_overloaded',
  ],
  [
    'openai',
    503,
    [
      {
        error: {
          code: 503,
          message: 'The model is overloaded. Please try again later.',
          status: 'UNAVAILABLE',
        },
      },
    ],
    'model_overloaded',
  ],
  [
    'openai',
    429,
    [
      {
        error: {
          code: 429,
          message: 'Resource has been exhausted (e.g. check quota).',
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
    'rate_limited',
  ],
  ['openai', 503, openai(503, 'Loading model', 'unavailable_error'), 'model_overloaded'],
  ['openai', 502, '<html><h1>502 Bad Gateway</h1></html>', 'upstream_failed'],
  [
    'ollama',
    503,
    { error: 'server busy, please try again. maximum pending requests exceeded' },
    'model_overloaded',
  ],
  // A request that is refused for an unknown reason must not cost the item its place.
  ['openai', 422, { detail: 'Unprocessable' }, 'upstream_failed'],
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'messages.0.role: unexpected value'),
    'upstream_failed',
  ],
]

describe.each([
  ['configuration', CONFIGURATION],
  ['content', CONTENT],
  ['retry-later', LATER],
] as const)('a failure of the class %s', (expected, rows) => {
  it.each(rows)('%s %i %j', async (provider, status, body, code) => {
    const { error, calls } = await failWith(provider, {
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect([error.code, errorClassOf(error)]).toEqual([code, expected])
    if (expected !== 'retry-later') expect(calls).toBe(1)
  })
})

it.each([
  [{ 'retry-after': '3600' }, 'Slow down', 3600],
  [{ 'retry-after-ms': '90500' }, 'Slow down', 91],
  [{}, 'Rate limit reached. Please try again in 7m12.5s.', 433],
  [{}, 'Rate limit reached. Please try again in 20ms.', 1],
])('passes on when to retry: %j %s', async (headers, message, expected) => {
  const { error } = await failWith('openai', {
    status: 429,
    headers,
    error: { type: 'requests', message },
  })
  expect(error).toMatchObject({
    code: 'rate_limited',
    details: { retryAfterSeconds: expected },
  })
})
