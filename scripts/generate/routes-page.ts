import { type Access, API, LIMITS, type Route } from '@steward/contract'
import { formatBytes } from './limits-page.ts'
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

The daemon first refuses every request whose \`Host\` is not this machine (403), every request from a page of
another origin (403), and every changing request that is not JSON (415). "Strict" means
\`auth.mode: "strict"\`. "Token" means \`Authorization: Bearer\` with the content of the token file. "Cookie" means
the cookie of a browser that signed in with \`steward open\`. The pages of the dashboard need nothing, or the
cookie in strict mode.

${renderTable(['Method', 'Path', 'Effect', 'Needs', 'Needs (strict)', 'Limits', 'Reason'], rows)}`
}

const describeLimits = ({ body, maxBodyBytes, perMinute, answer }: Route): string => {
  const parts = [
    ...(body === undefined ? [] : [`body ${formatBytes(maxBodyBytes ?? LIMITS.daemonBodyBytes)}`]),
    ...(perMinute === undefined ? [] : [`${perMinute} calls per minute`]),
    ...(answer === 'event-stream' ? ['counts as an open stream'] : []),
  ]
  return parts.length === 0 ? '-' : parts.join(', ')
}
