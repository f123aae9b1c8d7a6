const API_PREFIXES = ['/api', '/assistant', '/hooks', '/notify', '/voice', '/health']

/** Whether a path belongs to programs; any other is the dashboard's. */
export const isApiPath = (path: string): boolean =>
  API_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
