import { describeIssues, type Fetch, issuesOf, reasonOf } from '@steward/contract'
import type { z } from 'zod'

/** Enough for a server on this machine or nearby; starting must not take longer. */
const TIMEOUT_MS = 1500

type Answer<T> = { ok: true; value: T } | { ok: false; reason: string }

/** Queries a server. Its absence is expected, so nothing is thrown. */
export const getJson = async <T>(
  url: string,
  shape: z.ZodType<T>,
  fetch: Fetch,
  headers: Record<string, string> = {},
): Promise<Answer<T>> => {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) return { ok: false, reason: `${response.status}` }
    const parsed = shape.safeParse(await response.json())
    if (parsed.success) return { ok: true, value: parsed.data }
    return { ok: false, reason: describeIssues(issuesOf(parsed.error)) }
  } catch (error) {
    return { ok: false, reason: reasonOf(error) }
  }
}
