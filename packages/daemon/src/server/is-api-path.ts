const API_PREFIXES = ['/api', '/hooks', '/notify', '/voice', '/health']

/** Whether a path belongs to programs; any other is the dashboard's, `/assistant` itself among them. */
export const isApiPath = (path: string): boolean =>
  path.startsWith('/assistant/') ||
  API_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
