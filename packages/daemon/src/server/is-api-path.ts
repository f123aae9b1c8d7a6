const API_PREFIXES = ['/api', '/hooks', '/notify', '/voice', '/health', '/webhooks']

/**
 * Whether a path belongs to the API; all others belong to the dashboard, including `/assistant`
 * itself.
 */
export const isApiPath = (path: string): boolean =>
  path.startsWith('/assistant/') ||
  API_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))

/** Signed calls of other systems have any content type. */
export const takesAnyContent = (path: string): boolean => path.startsWith('/webhooks/')
