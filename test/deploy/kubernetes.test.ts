import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readImage } from './support/image.js';
import { type Image, kubernetesFaults } from './support/kubernetes.js';
import { broken, deployFiles, type Files, openPaths, ROOT } from './support/manifests.js';

/** File, what stands in it, what stands there instead, and what is said of it. */
const BREAKS: readonly (readonly [string, string, string, RegExp])[] = [
  ['kustomization.yaml', '  - services.yaml', '  - service.yaml', /there is no service.yaml/],
  ['kustomization.yaml', '- name: switchboard', '- name: gateway', /image switchboard is not named/],
  ['settings.yaml', 'SWITCHBOARD_NETWORK: whatsapp', 'SWITCHBOARD_NETWORK: irc', /SWITCHBOARD_NETWORK: /],
  ['settings.yaml', 'SWITCHBOARD_LEASE_SECONDS', 'SWITCHBOARD_LEASE', /SWITCHBOARD_LEASE is no setting/],
  ['settings.yaml', "'20'", "'1'", /SWITCHBOARD_LEASE_SECONDS: /],
  ['secret.example.yaml', 'SWITCHBOARD_STORE: REPLACE', 'X: y', /SWITCHBOARD_STORE is missing/],
  [
    'secret.example.yaml',
    'SWITCHBOARD_TOKEN: REPLACE',
    'SWITCHBOARD_TOKEN: 0123456789abcdef',
    /TOKEN can be used as it stands/,
  ],
  ['statefulset.yaml', '$(SWITCHBOARD_NODE_NAME).', '', /switchboard-nodes is no name of a node/],
  ['statefulset.yaml', 'switchboard-nodes:3000', 'switchboard-nodes:80', /asked at another port/],
  ['statefulset.yaml', 'containerPort: 3000', 'containerPort: 3001', /another port than the daemon/],
  ['statefulset.yaml', 'value: 0.0.0.0', 'value: 127.0.0.1', /listens on no address of the pod/],
  ['statefulset.yaml', 'enableServiceLinks: false', 'enableServiceLinks: true', /mix with the settings/],
  ['services.yaml', 'clusterIP: None', 'clusterIP: 10.0.0.1', /no headless Service/],
  ['services.yaml', 'publishNotReadyAddresses: true', 'publishNotReadyAddresses: false', /have no name/],
  ['services.yaml', 'targetPort: http', 'targetPort: web', /port that the container does not name/],
  [
    'services.yaml',
    '    app.kubernetes.io/name: switchboard\n  ports',
    '    app: x\n  ports',
    /not select the pods/,
  ],
  ['statefulset.yaml', '/health/ready', '/health/clients', /readinessProbe does not ask/],
  ['statefulset.yaml', '/health/live', '/healthz', /livenessProbe does not ask/],
  ['statefulset.yaml', 'port: http', 'port: metrics', /Probe asks a port/],
  ['statefulset.yaml', 'nodes drain', 'nodes empty', /there is no command "nodes empty/],
  ['statefulset.yaml', '--timeout 90', '--timeout soon', /"nodes drain .* an integer/],
  ['statefulset.yaml', '--wait --timeout 90', '--wait --patience 90', /"nodes drain .*onexistent flag/],
  ['statefulset.yaml', ' --wait', '', /preStop does not drain/],
  ['statefulset.yaml', '- switchboard nodes', '- kill nodes', /preStop runs no command/],
  ['statefulset.yaml', 'GracePeriodSeconds: 180', 'GracePeriodSeconds: 60', /is killed earlier/],
  ['statefulset.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', /may run as root/],
  ['statefulset.yaml', 'runAsUser: 1000', 'runAsUser: 0', /not run as the image's user/],
  ['statefulset.yaml', 'PrivilegeEscalation: false', 'PrivilegeEscalation: true', /may gain rights/],
  [
    'statefulset.yaml',
    'readOnlyRootFilesystem: true',
    'readOnlyRootFilesystem: false',
    /change its own files/,
  ],
  ['statefulset.yaml', 'drop: [ALL]', 'drop: [KILL]', /has capabilities/],
  ['statefulset.yaml', 'mountPath: /data', 'mountPath: /spool', /\/data is no volume/],
  ['disruption.yaml', 'maxUnavailable: 1', 'maxUnavailable: 3', /of 3 nodes 3 may be away/],
  ['kustomization.yaml', '  - network.yaml\n', '', /the NetworkPolicy is not applied/],
  ['network.yaml', '[Ingress, Egress]', '[Ingress]', /leaves one direction open/],
  ['network.yaml', '    - from:\n', '    - from: []\n      x:\n', /everybody may call a node/],
  ['network.yaml', 'port: http', 'port: metrics', /a port that the container does not name/],
  ['network.yaml', '169.254.0.0/16, ', '', /reaches private addresses/],
  [
    'network.yaml',
    '      app.kubernetes.io/name: switchboard\n  policyTypes',
    '      app: x\n  policyTypes',
    /not select the pods/,
  ],
  [
    'network.yaml',
    '              app.kubernetes.io/name: switchboard',
    '              app: x',
    /do not reach each other/,
  ],
  ['ingress.yaml', '140m', '100m', /refuses uploads/],
  [
    'ingress.yaml',
    '                name: switchboard\n',
    '                name: gateway\n',
    /leads to no Service/,
  ],
  ['ingress.yaml', '- host: switchboard.example.com', '- host: chat.example.com', /the Ingress another host/],
];

describe('the Kubernetes manifests', () => {
  let files: Files;
  let image: Image;
  before(async () => {
    files = deployFiles('kubernetes');
    image = { user: readImage(readFileSync(`${ROOT}Dockerfile`, 'utf8')).user, openPaths: await openPaths() };
  });

  it('are valid, and agree with each other and with the daemon', async () => {
    expect(await kubernetesFaults(files, image)).to.deep.equal([]);
  });

  for (const [name, text, instead, fault] of BREAKS) {
    it(`fail the check with ${JSON.stringify(instead)} in place of ${JSON.stringify(text)} in ${name}`, async () => {
      const faults = await kubernetesFaults(broken(files, name, text, instead), image);
      expect(faults.join('\n')).to.match(fault);
    });
  }
});
