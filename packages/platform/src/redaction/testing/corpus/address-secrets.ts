import { alnum, base64, hex, password, plain, type SecretRow, slack } from './secret-row.ts'

/** Secrets in addresses and connection strings. */
export const ADDRESS_SECRETS: readonly SecretRow[] = [
  [
    'postgres',
    password,
    (s) => `DATABASE_URL=postgres://app:${encodeURIComponent(s)}@db.test:5432/app`,
  ],
  [
    'postgresql log',
    plain,
    (s) => `connecting to postgresql+asyncpg://app:${s}@db.test/app?ssl=true`,
  ],
  ['mysql', plain, (s) => `mysql://root:${s}@127.0.0.1:3306/app`],
  [
    'mongodb srv',
    plain,
    (s) => `mongodb+srv://ada:${s}@cluster0.abcde.mongodb.test/app?w=majority`,
  ],
  ['redis', plain, (s) => `REDIS_URL=redis://:${s}@cache.test:6379/0`],
  ['rediss user', plain, (s) => `rediss://default:${s}@cache.test:6380`],
  ['amqp', plain, (s) => `amqps://ada:${s}@mq.test/vhost`],
  ['smtp', plain, (s) => `smtp://ada%40example.test:${s}@mail.test:587`],
  ['ftp', plain, (s) => `ftp://ada:${s}@files.test/pub`],
  ['git token', hex(40), (s) => `git clone https://${s}@github.test/a/b.git`],
  ['git oauth2', alnum(26), (s) => `git remote add o https://oauth2:${s}@gitlab.test/a/b.git`],
  ['git x-token', alnum(40), (s) => `origin\thttps://x-access-token:${s}@github.test/a/b (push)`],
  ['pip index', alnum(40), (s) => `pip install --index-url https://ada:${s}@pypi.test/simple x`],
  ['proxy', plain, (s) => `HTTPS_PROXY=http://ada:${s}@proxy.test:3128`],
  ['sentry dsn', hex(32), (s) => `SENTRY_DSN=https://pub:${s}@o1.ingest.sentry.test/1`],
  ['jdbc query', password, (s) => `jdbc:postgresql://db.test/app?user=ada&password=${s}`],
  [
    'jdbc sqlserver',
    password,
    (s) => `jdbc:sqlserver://db.test:1433;user=sa;password=${s};encrypt=true`,
  ],
  ['jdbc oracle', plain, (s) => `jdbc:oracle:thin:ada/${s}@db.test:1521:XE`],
  [
    'ado',
    password,
    (s) => `Server=db.test;Database=app;User Id=sa;Password=${s};TrustServerCertificate=True`,
  ],
  ['ado pwd', password, (s) => `"Data Source=db;Uid=sa;Pwd=${s};"`],
  [
    'azure storage',
    base64(86),
    (s) =>
      `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${s}==;EndpointSuffix=core.windows.net`,
  ],
  [
    'service bus',
    base64(43),
    (s) => `Endpoint=sb://x.servicebus.test/;SharedAccessKeyName=Root;SharedAccessKey=${s}=`,
  ],
  ['iot hub', base64(43), (s) => `HostName=x.azure-devices.test;DeviceId=d;SharedAccessKey=${s}=`],
  ['cosmos', base64(86), (s) => `AccountEndpoint=https://x.documents.test/;AccountKey=${s}==;`],
  [
    'sas url',
    base64(43),
    (s) => `https://x.blob.test/c/f?sv=2024-11-04&sp=r&sig=${encodeURIComponent(s)}%3D`,
  ],
  ['s3 presigned', hex(64), (s) => `https://b.s3.test/k?X-Amz-Expires=900&X-Amz-Signature=${s}`],
  [
    'gcs signed',
    hex(256),
    (s) => `https://storage.test/b/o?GoogleAccessId=x&Signature=${s}&Expires=1`,
  ],
  [
    'cloudfront',
    alnum(120),
    (s) => `https://d1.cloudfront.test/f?Policy=x&Signature=${s}&Key-Pair-Id=K`,
  ],
  ['oauth callback', alnum(60), (s) => `https://app.test/cb#access_token=${s}&token_type=bearer`],
  [
    'oauth code exchange',
    alnum(40),
    (s) => `grant_type=refresh_token&refresh_token=${s}&client_id=x`,
  ],
  [
    'client credentials',
    alnum(40),
    (s) => `grant_type=client_credentials&client_id=x&client_secret=${s}`,
  ],
  [
    'password reset',
    alnum(40),
    (s) => `https://app.test/reset?token=${s}&email=ada%40example.test`,
  ],
  [
    'api key query',
    alnum(32),
    (s) => `https://api.test/data/2.5/weather?q=Rome&appid=1&api_key=${s}`,
  ],
  ['websocket token', alnum(40), (s) => `wss://stream.test/?token=${s}`],
  [
    'slack webhook',
    (p) => `T${p.upper(8)}/B${p.upper(10)}/${p.alnum(24)}`,
    (s) => `url: https://${slack}/services/${s}`,
  ],
  [
    'slack workflow',
    (p) => `T${p.upper(8)}/A${p.upper(10)}/${p.digits(18)}/${p.alnum(24)}`,
    (s) => `https://${slack}/workflows/${s}`,
  ],
  [
    'discord webhook',
    (p) => p.word(68),
    (s) => `https://discord.com/api/webhooks/${'1'.repeat(19)}/${s}`,
  ],
  [
    'teams webhook',
    (p) => `${p.hex(32)}/${p.uuid()}`,
    (s) => `https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/${s}`,
  ],
  [
    'teams flow',
    (p) => p.word(43),
    (s) =>
      `https://prod-01.logic.azure.test/workflows/x/triggers/manual/paths/invoke?sp=run&sv=1.0&sig=${s}`,
  ],
  [
    'zapier',
    (p) => `${p.digits(7)}/${p.lower(7)}`,
    (s) => `https://hooks.zapier.com/hooks/catch/${s}/`,
  ],
  [
    'telegram url',
    (p) => `${p.digits(10)}:AA${p.word(33)}`,
    (s) => `https://api.telegram.org/bot${s}/getMe`,
  ],
  [
    'google chat',
    (p) => p.word(43),
    (s) => `https://chat.googleapis.com/v1/spaces/A/messages?key=x&token=${s}`,
  ],
  [
    'azure function',
    (p) => `${p.word(52)}==`,
    (s) => `https://fn.azurewebsites.test/api/run?code=${s}`,
  ],
  [
    'otpauth',
    (p) => p.base32(32),
    (s) => `otpauth://totp/Acme:ada?secret=${s}&issuer=Acme&digits=6`,
  ],
  ['ldap url', plain, (s) => `ldap://cn=admin,dc=x:${s}@ldap.test`],
  ['ssh url', plain, (s) => `sftp://ada:${s}@host.test:22/home`],
  ['svn url', plain, (s) => `svn+ssh://ada:${s}@svn.test/repo`],
  ['nats', plain, (s) => `nats://app:${s}@nats.test:4222`],
  ['clickhouse url', plain, (s) => `clickhouse://default:${s}@ch.test:9000/app`],
  ['in json', plain, (s) => `{"url":"postgres:\\/\\/app:${s}@db.test\\/app"}`],
  [
    'in stack trace',
    plain,
    (s) => `Error: connect ECONNREFUSED mysql://app:${s}@db.test:3306\n    at connect (db.js:1:1)`,
  ],
  ['in yaml', plain, (s) => `database:\n  url: "mysql2://app:${s}@db.test/app"\n  pool: 5`],
]
