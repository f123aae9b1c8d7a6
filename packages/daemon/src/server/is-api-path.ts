const API_PREFIXES = ['/api', '/hooks', '/notify', '/voice', '/health']

/**
 * Whether a path belongs to the API; all others belong to the dashboard, including `/assistant`
 * itself.
 */
export const isApiPath = (path: string): boolean =>
  path.startsWith('/assistant/') ||
  API_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
