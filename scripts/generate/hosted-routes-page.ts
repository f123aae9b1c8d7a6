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

Every request needs a key, as \`Authorization: Bearer …\` or \`x-api-key\`. All routes except those of files and skills
need \`anthropic-beta: managed-agents-2026-04-01\`; those of memory also accept \`agent-memory-2026-07-22\`. Unknown query
parameters are ignored. Unknown fields of a body are refused, except inside content blocks and a tool's
\`input_schema\`. "Worker" means the key of a self-hosted environment, or the token in one of its work items, which is valid
for one session.

${renderTable(['Method', 'Path', 'Effect', 'Key'], rows)}`
}

const describeKeys = ({ scope, worker }: HostedRoute): string =>
  worker ? `${KEYS[scope]}, worker` : KEYS[scope]
