"""A Kafka cluster of one broker, as librdkafka plays it: the real protocol, in memory.

Prints its address, and then a line for each command on standard input, once it is done:
down, up, topic NAME PARTITIONS, missing TOPIC, refuse CODE (the next event).
"""
import ctypes
import sys

kafka = ctypes.CDLL("librdkafka.so.1")
pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
kafka.rd_kafka_conf_new.restype = pointer
kafka.rd_kafka_conf_set_log_cb.argtypes = [pointer, pointer]
kafka.rd_kafka_new.restype = pointer
kafka.rd_kafka_new.argtypes = [number, pointer, text, ctypes.c_size_t]
kafka.rd_kafka_mock_cluster_new.restype = pointer
kafka.rd_kafka_mock_cluster_new.argtypes = [pointer, number]
kafka.rd_kafka_mock_cluster_bootstraps.restype = text
kafka.rd_kafka_mock_cluster_bootstraps.argtypes = [pointer]
kafka.rd_kafka_mock_topic_create.argtypes = [pointer, text, number, number]
kafka.rd_kafka_mock_topic_set_error.argtypes = [pointer, text, number]
kafka.rd_kafka_mock_push_request_errors_array.argtypes = [pointer, ctypes.c_int16, ctypes.c_size_t, pointer]
kafka.rd_kafka_mock_broker_set_down.argtypes = [pointer, ctypes.c_int32]
kafka.rd_kafka_mock_broker_set_up.argtypes = [pointer, ctypes.c_int32]

settings = kafka.rd_kafka_conf_new()
kafka.rd_kafka_conf_set_log_cb(settings, None)
PRODUCER, BROKER = 0, 1
PRODUCE, UNKNOWN_TOPIC = 0, 3
client = kafka.rd_kafka_new(PRODUCER, settings, ctypes.create_string_buffer(512), 512)
cluster = kafka.rd_kafka_mock_cluster_new(client, BROKER)
print(kafka.rd_kafka_mock_cluster_bootstraps(cluster).decode(), flush=True)

for line in sys.stdin:
    command, *rest = line.split()
    if command == "down":
        failed = kafka.rd_kafka_mock_broker_set_down(cluster, BROKER)
    elif command == "up":
        failed = kafka.rd_kafka_mock_broker_set_up(cluster, BROKER)
    elif command == "topic":
        failed = kafka.rd_kafka_mock_topic_create(cluster, rest[0].encode(), int(rest[1]), 1)
    elif command == "missing":
        kafka.rd_kafka_mock_topic_set_error(cluster, rest[0].encode(), UNKNOWN_TOPIC)
        failed = 0
    elif command == "refuse":
        codes = (number * 1)(int(rest[0]))
        failed = kafka.rd_kafka_mock_push_request_errors_array(cluster, PRODUCE, 1, codes)
    print("failed" if failed else "done", flush=True)
