import type { Settings } from '@steward/contract'

/** Explains which new settings need a restart. */
export const explainPending = (
  settings: Settings,
  inForce: Settings,
  { isBeyondLoopback, hasFixedPort }: { isBeyondLoopback: boolean; hasFixedPort: boolean },
): string[] => {
  const wanted = settings.observability.server
  const { server } = inForce.observability
  const restart = 'takes effect at the next start'
  return [
    ...(wanted.port !== server.port && !hasFixedPort
      ? [`observability.server.port ${wanted.port} ${restart}`]
      : []),
    ...(wanted.host !== server.host ? [`observability.server.host ${wanted.host} ${restart}`] : []),
    ...(wanted.enabled ? [] : [`observability.server.enabled false ${restart}`]),
    ...(isBeyondLoopback && settings.auth.mode !== 'strict'
      ? ['auth.mode stays strict while the daemon listens beyond loopback']
      : []),
  ]
}
