import Newest from '@anthropic-ai/sdk'
import { accumulateManagedAgentsEvent } from '@anthropic-ai/sdk/lib/sessions/accumulate'
import Oldest from '@anthropic-ai/sdk-0.95'
import Middle from '@anthropic-ai/sdk-0.137'
import { accumulateManagedAgentsEvent as accumulateInMiddle } from '@anthropic-ai/sdk-0.137/lib/sessions/accumulate'
import { z } from 'zod'

export interface ClientOptions {
  apiKey: string
  baseURL: string
  maxRetries: number
  fetch: typeof fetch
}

type ErrorClasses = Pick<
  typeof Newest,
  | 'BadRequestError'
  | 'AuthenticationError'
  | 'PermissionDeniedError'
  | 'NotFoundError'
  | 'ConflictError'
  | 'RateLimitError'
  | 'InternalServerError'
  | 'APIError'
>

/** One published version of the official client. */
export interface ClientVersion {
  version: string
  /** Uses the newest types; tests skip what an older version lacks. */
  create(options: ClientOptions): Newest
  errors: ErrorClasses
  /** Its own function for assembling previews; the oldest version has none. */
  accumulate?: typeof accumulateManagedAgentsEvent
  /** Whether it supports the work queue and credential validation. */
  hasWork: boolean
}

const asNewest = z.custom<Newest>()
const asErrors = z.custom<ErrorClasses>()

export const CLIENT_VERSIONS: readonly ClientVersion[] = [
  {
    version: '1.8',
    create: (options) => new Newest(options),
    errors: Newest,
    accumulate: accumulateManagedAgentsEvent,
    hasWork: true,
  },
  {
    version: '0.137',
    create: (options) => asNewest.parse(new Middle(options)),
    errors: asErrors.parse(Middle),
    accumulate: z.custom<typeof accumulateManagedAgentsEvent>().parse(accumulateInMiddle),
    hasWork: true,
  },
  {
    version: '0.95',
    create: (options) => asNewest.parse(new Oldest(options)),
    errors: asErrors.parse(Oldest),
    hasWork: false,
  },
]
