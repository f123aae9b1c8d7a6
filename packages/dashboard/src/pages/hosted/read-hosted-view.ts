export type HostedView = { kind: 'home' } | { kind: 'session'; id: string } | { kind: 'nothing' }

/** The view of a path under `/hosted`. */
export const readHostedView = (path: string): HostedView => {
  const [, , id, ...rest] = path.split('/')
  if (id === undefined || (id === '' && rest.length === 0)) return { kind: 'home' }
  return rest.length === 0 && /^[\w-]+$/.test(id) ? { kind: 'session', id } : { kind: 'nothing' }
}
