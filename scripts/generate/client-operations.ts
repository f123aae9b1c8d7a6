import { API } from '@steward/contract'

/** `packages/contract/src/client/operations.ts`: the table of routes without its schemas. */
export const renderClientOperations = (): string => {
  const rows = Object.entries(API).map(
    ([name, { method, path }]) => `  ${name}: { method: '${method}', path: '${path}' },\n`,
  )
  return `/** Generated from the table of routes (\`../api\`) by \`npm run generate\`. Do not edit. */
export const OPERATIONS = {
${rows.join('')}} as const
`
}
