/** Options with a value before the sub-command, by program. */
const VALUED: Readonly<Record<string, RegExp>> = {
  git: /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/,
  kubectl:
    /^(-n|--namespace|--context|--kubeconfig|--cluster|--user|-s|--server|--as|--token|-v|--request-timeout)$/,
  helm: /^(-n|--namespace|--kube-context|--kubeconfig)$/,
  docker: /^(-H|--host|-c|--context|--config|-l|--log-level)$/,
  compose: /^(-f|--file|-p|--project-name|--profile|--env-file|--project-directory|--ansi)$/,
  npm: /^(--prefix|-C|--dir|-w|--workspace|--filter|-F|--registry|--cwd)$/,
  gh: /^(-R|--repo|--hostname)$/,
  systemctl: /^(-H|--host|-M|--machine)$/,
  cargo: /^(-Z|--config|-C|--color)$/,
  aws: /^(--profile|--region|--endpoint-url|--output|--query)$/,
  gcloud: /^(--project|--account|--configuration|--format)$/,
}

const SAME: Readonly<Record<string, string>> = {
  hub: 'git',
  oc: 'kubectl',
  podman: 'docker',
  nerdctl: 'docker',
  'docker-compose': 'compose',
  'podman-compose': 'compose',
  pnpm: 'npm',
  yarn: 'npm',
  bun: 'npm',
  glab: 'gh',
  service: 'systemctl',
  terraform: 'cargo',
  tofu: 'cargo',
  terragrunt: 'cargo',
}

/** Splits the options before a sub-command from the rest: `-C x push` is a push. */
export const splitGlobals = (
  program: string,
  args: readonly string[],
): { globals: string[]; rest: string[] } => {
  const key = SAME[program] ?? program
  const valued = Object.hasOwn(VALUED, key) ? VALUED[key] : undefined
  let at = 0
  while (at < args.length && /^[-+]/.test(args[at] ?? '')) {
    at += valued?.test(args[at] ?? '') ? 2 : 1
  }
  return { globals: args.slice(0, at), rest: args.slice(at) }
}

const hasSubCommands = (program: string): boolean =>
  Object.hasOwn(VALUED, program) || Object.hasOwn(SAME, program)

/** The call without the options before its sub-command; undefined if there are none. */
export const withoutGlobals = (argv: readonly string[]): string[] | undefined => {
  const [program = '', ...args] = argv
  if (!hasSubCommands(program)) return undefined
  const { globals, rest } = splitGlobals(program, args)
  const isCompose = /^(docker|podman|nerdctl)$/.test(program) && rest[0] === 'compose'
  const inner = isCompose ? splitGlobals('compose', rest.slice(1)) : undefined
  if (globals.length === 0 && (inner === undefined || inner.globals.length === 0)) return undefined
  return [program, ...(inner === undefined ? rest : ['compose', ...inner.rest])]
}
