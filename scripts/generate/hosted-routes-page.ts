import { HOSTED_API, type HostedRoute, type KeyNeed } from '@steward/contract'
import { renderTable } from './render-table.ts'

const KEYS: Record<KeyNeed['scope'], string> = {
  read: '`read`, `write`, `admin`',
  write: '`write`, `admin`',
  admin: '`admin`',
  environment: '`environment`, `write`, `admin`',
}

/** `docs/reference/hosted-routes.md`: every endpoint of the hosted agent API. */
export const renderHostedRoutesPage = (): string => {
  const rows = Object.values<HostedRoute>(HOSTED_API).map((route) => [
    `\`${route.method}\``,
    [route.path, ...(route.alsoAt === undefined ? [] : [route.alsoAt])]
      .map((path) => `\`${path}\``)
      .join(' and '),
    route.summary,
    describeKeys(route),
  ])
  return `# Routes of the hosted agent API

Generated from the table of routes in \`packages/contract/src/hosted\` by \`npm run generate\`. Do not edit.
The shapes are in [openapi-hosted.json](../../openapi-hosted.json).

Every request carries a key, as \`Authorization: Bearer …\` or \`x-api-key\`. All routes but those of files and
skills want \`anthropic-beta: managed-agents-2026-04-01\`; those of memory also take \`agent-memory-2026-07-22\`. Keys of a query that are not known are ignored; fields of
a body that are not known are refused, except inside content blocks and a tool's \`input_schema\`. "Worker"
is the key of a self-hosted environment, and the token that its work carries for one session.

${renderTable(['Method', 'Path', 'What', 'Key'], rows)}`
}

const describeKeys = ({ scope, worker }: HostedRoute): string =>
  worker ? `${KEYS[scope]}, worker` : KEYS[scope]
