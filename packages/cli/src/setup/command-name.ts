/** What a person types to start this program: a clone has no `steward` on its path. */
export const COMMAND = import.meta.filename.endsWith('.ts') ? 'npx steward' : 'steward'
