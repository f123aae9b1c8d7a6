import { ERROR_CODES, ERRORS } from '@steward/contract'
import { renderTable } from './render-table.ts'

/** `docs/reference/errors.md` from the error table. */
export const renderErrorsPage = (): string => {
  const codes = ERROR_CODES.toSorted((a, b) => ERRORS[a].status - ERRORS[b].status)
  const rows = codes.map((code) => {
    const { status, retryable, message, remedy } = ERRORS[code]
    return [
      `\`${code}\``,
      String(status),
      retryable ? 'yes' : 'no',
      `\`${message.replaceAll('?}', '}')}\``,
      remedy,
    ]
  })
  return `# Errors

Generated from the error table in \`packages/contract/src/errors.ts\` by \`npm run generate\`. Do not edit.

Every failed answer has the same body: \`{"success": false, "error": "…", "code": "…", "field": "…"}\`.
\`error\` is the message below with its \`{details}\` filled in, \`code\` is stable and meant for programs,
and \`field\` names the invalid field of the input, if there is one. "Retry" says whether the same request
may succeed later without a change.

${renderTable(['Code', 'Status', 'Retry', 'Message', 'What to do'], rows)}`
}
