/** Programs that only say what they would do when asked to, and the word that asks them. */
const DRY: readonly [RegExp, RegExp][] = [
  [/^(git|npm|pnpm|yarn|bun|cargo|helm|rsync|lerna|twine|poetry|uv|brew|gem)$/, /^--dry-run$/],
  [/^(kubectl|oc)$/, /^--dry-run(=(client|server))?$/],
  [/^(aws|s3cmd|rclone)$/, /^(--dryrun|--dry-run)$/],
  [/^(apt|apt-get)$/, /^(-s|--simulate|--dry-run|--just-print|--no-act)$/],
  [/^(pulumi)$/, /^--preview-only$/],
]

const HELPS_BY_LETTER =
  /^(kubectl|oc|helm|gh|cargo|npm|docker|aws|gcloud|terraform|tofu|git|pulumi|fly|flyctl|heroku)$/

/** Whether a call changes nothing: it asks for help, or for what would be done. */
export const isRehearsal = (argv: readonly string[]): boolean => {
  const [program = '', ...args] = argv
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const last = end === -1 ? args.at(-1) : undefined
  if (last === '--help' || last === '--version') return true
  if ((last === '-h' || last === '-help') && HELPS_BY_LETTER.test(program)) return true
  return DRY.some(([name, word]) => name.test(program) && options.some((arg) => word.test(arg)))
}
