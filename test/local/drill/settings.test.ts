import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SETTING_NAMES } from '../../../src/gateway/config/schema.js';
import { COPIED, copySettings } from '../../../src/local/drill/settings.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

/** Settings that a drill must not take: they lead to something of the operator's, or are about the machine. */
const NEVER_COPIED = [
  ...['host', 'port', 'dataDir', 'store', 'token', 'network', 'networkRoot', 'waVersion', 'sandboxHost'],
  ...['sandboxPort', 'sandboxData', 'publicUrl', 'nodeName', 'nodeUrl', 'workers', 'encryptionKey'],
  ...[
    'allowPrivateUrls',
    'allowTenantBrokers',
    'linkPreviews',
    'otlpEndpoint',
    'otlpHeaders',
    'traceRatio',
    'logLevel',
  ],
];

describe('the settings of a drill', () => {
  let folder: TempDir;
  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  const file = async (name: string, text: string) => {
    const path = join(folder.path, name);
    await writeFile(path, text);
    return path;
  };
  const failure = (path: string) =>
    copySettings(path, folder.path).then(
      () => 'nothing',
      ({ message }: Error) => message,
    );

  it('are decided for every setting of the daemon: copied or never copied', () => {
    expect([...COPIED, ...NEVER_COPIED]).to.have.members(SETTING_NAMES);
  });

  it('take limits and intervals from the file, and no address or secret of the operator', async () => {
    const own = { leaseSeconds: 7, durableMb: 3, heldSends: 5, retentionDays: 2 };
    const others = Object.fromEntries(NEVER_COPIED.map((name) => [name, 'of the operator']));
    const path = await file('switchboard.json', JSON.stringify({ ...own, ...others }));
    const { policy, ...copied } = await copySettings(path, folder.path);
    expect(copied).to.deep.equal(own);
    expect(policy).to.equal(join(folder.path, 'policy.yaml'));
  });

  it("copy the operator's policy file, and read a file in YAML", async () => {
    const policy = await file('limits.yaml', 'mode: enforce\ndefault: gentle\n');
    const path = await file('switchboard.yaml', `policy: ${policy}\n`);
    const copied = await copySettings(path, folder.path);
    expect(copied.policy).to.equal(join(folder.path, 'policy.yaml'));
    expect(await readFile(String(copied.policy), 'utf8')).to.equal('mode: enforce\ndefault: gentle\n');
  });

  it('keep the policy that comes with the program', async () => {
    const path = await file('switchboard.json', '{"policy": "gentle"}');
    expect(await copySettings(path, folder.path)).to.deep.equal({ policy: 'gentle' });
  });

  it('name what is wrong with the file', async () => {
    expect(await failure(join(folder.path, 'none.json'))).to.match(/none\.json cannot be read: ENOENT/);
    expect(await failure(await file('text.json', '[1]'))).to.match(/text\.json: it must hold one object/);
    const path = await file('wrong.json', '{"leaseSeconds": 1}');
    expect(await failure(path)).to.equal(`${path}: leaseSeconds: must be greater than or equal to 2`);
  });
});
