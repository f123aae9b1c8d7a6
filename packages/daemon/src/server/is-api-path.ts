import type { AcceptedContent } from '@steward/http'

const API_PREFIXES = [
  '/api',
  '/hooks',
  '/notify',
  '/voice',
  '/health',
  '/healthz',
  '/webhooks',
  '/metrics',
  '/v1',
]

/**
 * Whether a path belongs to the API; all others belong to the dashboard, including `/assistant`
 * itself.
 */
export const isApiPath = (path: string): boolean =>
  path.startsWith('/assistant/') ||
  API_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))

/** Signed calls of other systems have any content type; exporters of OTLP prefer protobuf. */
export const contentOf = (path: string): AcceptedContent => {
  if (path.startsWith('/webhooks/')) return 'any'
  return path.startsWith('/v1/') ? 'protobuf' : 'json'
}
