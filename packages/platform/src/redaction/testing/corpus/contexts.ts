/** Puts a secret where such secrets are found. `variable` is the name that goes with it. */
export interface Context {
  id: string
  put: (secret: string, variable: string) => string
}

type Row = readonly [id: string, put: Context['put']]
const contexts = (rows: readonly Row[]): readonly Context[] =>
  rows.map(([id, put]) => ({ id, put }))

const camel = (variable: string): string =>
  variable.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const kebab = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')
const snake = (variable: string): string => variable.toLowerCase()

/** Places where no name says that a secret follows. */
export const BARE_CONTEXTS: readonly Context[] = contexts([
  ['prose', (s) => `I created a new one for staging, it is ${s}, please try it out.`],
  ['log line', (s) => `2026-03-04T10:11:12.345Z DEBUG [client] connecting as ${s} (attempt 2)`],
  ['diff line', (s) => `@@ -4,2 +4,2 @@\n-  connect()\n+  connect("${s}")\n   run()`],
  ['stack trace', (s) => `Error: refused: ${s}\n    at Client.open (/app/src/client.js:88:11)`],
  ['query', (s) => `GET https://api.example.test/v1/items?limit=5&k=${s}&sort=asc`],
  ['function call', (s) => `client = Client.connect("${s}", timeout=30)`],
  ['array', (s) => `const values = ['eu-west-1', '${s}', 3]`],
  ['comment', (s) => `// remove before release: ${s}`],
  ['markdown', (s) => `Use the value \`${s}\` in the **Settings** page.`],
  ['csv', (s) => `7,ada@example.test,${s},2026-01-01`],
  ['table', (s) => `| staging | ${s} | eu |`],
  ['shell argument', (s) => `deployctl push staging ${s} --wait`],
  ['echo', (s) => `echo ${s} | pbcopy`],
  ['json list', (s) => `{"args":["deploy","${s}"],"code":0}`],
  ['escaped json', (s) => `{"stdout":"line one\\n${s}\\nline three"}`],
  ['html', (s) => `<code>${s}</code>`],
  ['grep output', (s) => `src/config.ts:14:  return "${s}"`],
  ['chat', (s) => `ok so:${s} <- that one`],
  ['python repr', (s) => `Response(data={'v': '${s}'}, status=200)`],
  ['parentheses', (s) => `the old one (${s}) still works`],
  ['end of sentence', (s) => `The value was ${s}.`],
  ['ansi', (s) => `\u001b[32m${s}\u001b[0m`],
])

/** Places where a name stands beside the secret. */
export const NAMED_CONTEXTS: readonly Context[] = contexts([
  ['env file', (s, v) => `# local\nNODE_ENV=production\n${v}=${s}\nPORT=3000\n`],
  ['env file quoted', (s, v) => `${v}="${s}"\n`],
  ['export', (s, v) => `export ${v}=${s} && npm start`],
  ['command prefix', (s, v) => `${v}='${s}' ./deploy.sh --prod`],
  ['ini', (s, v) => `[service]\nregion = eu\n${snake(v)} = ${s}\n`],
  ['properties', (s, v) => `app.${kebab(v)}=${s}\n`],
  ['toml', (s, v) => `[auth]\n${snake(v)} = "${s}"`],
  ['json', (s, v) => `{"region": "eu", "${camel(v)}": "${s}", "retries": 3}`],
  ['json snake', (s, v) => JSON.stringify({ [snake(v)]: s, n: 1 })],
  ['nested json', (s, v) => JSON.stringify({ body: JSON.stringify({ [camel(v)]: s }) })],
  ['yaml', (s, v) => `service:\n  ${snake(v)}: ${s}\n  region: eu\n`],
  ['yaml quoted', (s, v) => `env:\n  ${v}: '${s}'\n`],
  ['compose list', (s, v) => `    environment:\n      - ${v}=${s}\n      - PORT=80`],
  ['kubernetes env', (s, v) => `        - name: ${v}\n          value: "${s}"\n`],
  ['kubernetes stringData', (s, v) => `kind: Secret\nstringData:\n  ${kebab(v)}: ${s}\n`],
  ['dockerfile env', (s, v) => `FROM node:24\nENV ${v}=${s}\nRUN npm ci`],
  ['dockerfile arg', (s, v) => `ARG ${v}=${s}`],
  ['docker run', (s, v) => `docker run --rm -e ${v}=${s} app:latest`],
  ['build arg', (s, v) => `docker build --build-arg ${v}=${s} .`],
  ['terraform', (s, v) => `variable "${snake(v)}" {}\n\nlocals {\n  ${snake(v)} = "${s}"\n}`],
  ['tfvars', (s, v) => `region = "eu"\n${snake(v)}     = "${s}"\n`],
  ['flag', (s, v) => `tool sync --${kebab(v)} ${s} --dry-run`],
  ['flag equals', (s, v) => `tool sync --${kebab(v)}=${s}`],
  ['python', (s, v) => `os.environ["${v}"] = "${s}"`],
  ['python keyword', (s, v) => `client = Client(${snake(v)}="${s}", retries=2)`],
  ['python dict', (s, v) => `config = {'${snake(v)}': '${s}', 'debug': True}`],
  ['javascript', (s, v) => `const ${camel(v)} = '${s}';`],
  ['javascript member', (s, v) => `new Client({ ${camel(v)}: "${s}", retries: 2 })`],
  ['process env', (s, v) => `process.env.${v} = '${s}'`],
  ['typescript class', (s, v) => `  private readonly ${camel(v)}: string = "${s}"`],
  ['go', (s, v) => `const ${camel(v)} = "${s}"\nfunc main() {}`],
  ['go setenv', (s, v) => `os.Setenv("${v}", "${s}")`],
  ['rust', (s, v) => `const ${v}: &str = "${s}";`],
  ['java', (s, v) => `private static final String ${v} = "${s}";`],
  ['csharp', (s, v) => `public string ${camel(v)} { get; set; } = "${s}";`],
  ['ruby', (s, v) => `ENV['${v}'] ||= '${s}'`],
  ['php', (s, v) => `define('${v}', '${s}');`],
  ['php array', (s, v) => `'${snake(v)}' => '${s}',`],
  ['powershell', (s, v) => `$env:${v} = "${s}"`],
  ['cmd', (s, v) => `set ${v}=${s}`],
  ['fish', (s, v) => `set -gx ${v} ${s}`],
  ['github env', (s, v) => `echo "${v}=${s}" >> $GITHUB_ENV`],
  ['ci yaml', (s, v) => `variables:\n  ${v}: "${s}"\nscript:\n  - make`],
  ['printenv', (s, v) => `HOME=/root\n${v}=${s}\nSHLVL=1`],
  ['diff', (s, v) => `--- a/.env\n+++ b/.env\n-${v}=\n+${v}=${s}`],
  ['log', (s, v) => `INFO loaded settings ${snake(v)}=${s} region=eu`],
  ['log colon', (s, v) => `[debug] ${v}: ${s}`],
  ['query', (s, v) => `https://api.example.test/x?${snake(v)}=${encodeURIComponent(s)}&n=1`],
  ['form body', (s, v) => `curl -d "user=ada&${snake(v)}=${s}" https://example.test`],
  ['xml', (s, v) => `<settings><${camel(v)}>${s}</${camel(v)}></settings>`],
  ['xml attribute', (s, v) => `<add key="${v}" value="${s}" />`],
  ['gh secret', (s, v) => `gh secret set ${v} --body "${s}"`],
  ['heroku config', (s, v) => `heroku config:set ${v}=${s} -a app`],
  [
    'kubectl literal',
    (s, v) => `kubectl create secret generic app --from-literal=${kebab(v)}=${s}`,
  ],
  ['header', (s, v) => `curl -H "X-${kebab(v)}: ${s}" https://example.test`],
  ['sql', (s, v) => `UPDATE settings SET ${snake(v)} = '${s}' WHERE id = 1;`],
  ['assertion', (s, v) => `expect(config.${camel(v)}).toBe('${s}')`],
  ['systemd', (s, v) => `[Service]\nEnvironment="${v}=${s}"\nExecStart=/usr/bin/app`],
])
