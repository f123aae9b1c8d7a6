import { type Access, API, LIMITS, type Route } from '@steward/contract'
import { renderTable } from './render-table.ts'

const NEEDS: Record<Access, { usual: string; strict: string }> = {
  public: { usual: 'nothing', strict: 'nothing' },
  local: { usual: 'nothing', strict: 'token or cookie' },
  token: { usual: 'token or cookie', strict: 'token or cookie' },
}

/** `docs/reference/routes.md`: the access of each route, and the reason. */
export const renderRoutesPage = (): string => {
  const rows = Object.values<Route>(API).map((route) => {
    const { usual, strict } = NEEDS[route.access]
    return [
      `\`${route.method}\``,
      `\`${route.path}\``,
      route.summary,
      usual,
      strict,
      describeLimits(route),
      route.why,
    ]
  })
  return `# Routes

Generated from the table of routes in \`packages/contract/src/api\` by \`npm run generate\`. Do not edit.
The shapes are in [openapi.json](../../openapi.json); [the daemon](../daemon.md) explains the checks.

Before any of this, every request is refused whose \`Host\` is not this machine (403), that comes from a
page of another origin (403), or that would change something and is not JSON (415). "Strict" is
\`auth.mode: "strict"\`. "Token" is the bearer of the token file, "cookie" that of a browser which signed
in with \`steward open\`. The dashboard's own pages need nothing, and in strict mode the cookie.

${renderTable(['Method', 'Path', 'What', 'Needs', 'Needs (strict)', 'Limits', 'Why'], rows)}`
}

const describeLimits = ({ body, maxBodyBytes, perMinute, answer }: Route): string => {
  const parts = [
    ...(body === undefined
      ? []
      : [`body ${(maxBodyBytes ?? LIMITS.daemonBodyBytes) / 1024 ** 2} MiB`]),
    ...(perMinute === undefined ? [] : [`${perMinute} calls per minute`]),
    ...(answer === 'event-stream' ? ['counts as an open stream'] : []),
  ]
  return parts.length === 0 ? '-' : parts.join(', ')
}
